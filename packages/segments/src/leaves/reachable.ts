import { channelSends } from '@tidings/accounts/channel-sends';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { ChannelAddress } from '@tidings/contracts/channels/descriptor';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import {
  DEVICE_KIND_OF,
  isDeviceChannel,
  type DeviceChannel,
} from '@tidings/contracts/channels/device-channels';
import { MARKETING_SUPPRESSION } from '@tidings/contracts/channels/suppression-reasons';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { mailboxPatterns } from '../compile/mailbox-pattern.ts';
import { join, type CompiledLeaf, type StatementParts } from '../compile/statement-parts.ts';
import type { Leaf } from './leaf.ts';

/**
 * Whether a message would reach the user now, as `readReachability` decides: the channel sends, the
 * profile has a valid address or the user a device, and the address is not suppressed.
 */
export const reachable: Leaf<LeafOf<'reachable'>> = {
  compile: compileReachable,
  check() {
    // Its schema knows the channels and purposes.
  },
  isOfNow: true,
  // Settings, devices and suppressions change without a record of the user.
  isLive: () => false,
  hears: () => ({}),
};

const MAILBOX_UNITS_MAX = 254;
const LOCAL_PART_CHARS_MAX = 64;
/** What `trim` takes away around an address. */
const BLANKS = [...Array(0x1_0000).keys()]
  .map((code) => String.fromCharCode(code))
  .filter((character) => character.trim() === '')
  .join('');

function compileReachable(
  parts: StatementParts,
  { reachable: channel, purpose = 'transactional' }: LeafOf<'reachable'>,
): CompiledLeaf {
  const { kind } = CHANNEL_DESCRIPTORS[channel].address;
  const key = ADDRESS_KEY[kind];
  const sends = canSend(parts, channel);
  const address = hasAddress(parts, channel);
  const suppression = key === null ? null : { channel, purpose, ...key };
  const conditions = [
    sends,
    address,
    ...(suppression ? [isNotSuppressed(parts, suppression)] : []),
  ];
  return {
    truth: `(${conditions.join(' and ')})`,
    evidence:
      parts.shape === 'explain'
        ? `jsonb_build_object('reason', case when not ${sends} then 'channel_not_configured'
             when not ${address} then ${MISSING[kind]} ${suppression ? `else ${reasonOf(parts, suppression)}` : ''} end)`
        : NO_EVIDENCE,
  };
}

const NO_EVIDENCE = 'null::jsonb';

type Suppression = AddressKey & { readonly channel: Channel; readonly purpose: string };

/** SQL: why there is no address. */
const MISSING = {
  phone: missingContact('phoneNumber', 'hashedPhoneNumber'),
  mailbox: missingContact('email', 'hashedEmail'),
  device: "'no_subscription'",
  identity: 'null',
} as const satisfies Record<ChannelAddress['kind'], string>;

function missingContact(field: string, hashedField: string): string {
  return `case when coalesce(u.fields ->> '${field}', '') <> '' then 'invalid_address'
    when u.fields -> '${hashedField}' is null then 'no_address' else 'hashed_only' end`;
}

/** SQL: the key of the mailbox where its spelling is another text. */
const OWN_MAILBOX_KEY = 'case u.mailbox_spelling when u.email_key then u.mailbox_key end';

/**
 * SQL: what a suppression of the channel names; and the spelling besides, by which it is found
 * until the scheduler has made its key.
 */
const ADDRESS_KEY = {
  phone: { key: 'u.phone_e164', spelling: null },
  mailbox: { key: `coalesce(${OWN_MAILBOX_KEY}, u.email_key)`, spelling: 'u.email_key' },
  device: null,
  identity: null,
} as const satisfies Record<ChannelAddress['kind'], AddressKey | null>;

type AddressKey = { readonly key: string; readonly spelling: string | null };

/** Of the application, so Postgres asks it once. */
function canSend({ application, parameters }: StatementParts, channel: Channel): string {
  return `coalesce((select ${channelSends('s', 'a')}
    from applications a left join channel_settings s on s.application_id = a.id
      and s.channel = ${parameters.add(channel, 'text')}
    where a.id = ${application}), false)`;
}

function hasAddress(parts: StatementParts, channel: Channel): string {
  const { kind } = CHANNEL_DESCRIPTORS[channel].address;
  switch (kind) {
    case 'phone':
      // A bound in the pattern would make it ten times slower.
      return `coalesce(u.phone_e164 ~ '^[+][1-9][0-9]+$' and char_length(u.phone_e164) between 8 and 16
        and ${isFilled('phoneNumber')}, false)`;
    case 'mailbox':
      return isMailbox(parts);
    case 'device':
      return isDeviceChannel(channel) ? hasDevice(parts, channel) : 'false';
    case 'identity':
      return 'true';
  }
}

const isFilled = (field: string): string =>
  `jsonb_typeof(u.fields -> '${field}') = 'string' and u.fields ->> '${field}' <> ''`;

/** The profile has exactly one mailbox; no JSON value but a text has this form. */
function isMailbox({ parameters }: StatementParts): string {
  const { ascii, any } = mailboxPatterns();
  const email = `btrim(u.fields ->> 'email', ${parameters.add(BLANKS, 'text')})`;
  // The contract counts UTF-16 units: characters above U+FFFF are two.
  const units = `char_length(${email}) + char_length(regexp_replace(${email}, '[\\u0001-\\uffff]', '', 'g'))`;
  const isShort = (text: string, length: string): string =>
    `${length} <= ${MAILBOX_UNITS_MAX} and strpos(${text}, '@') <= ${LOCAL_PART_CHARS_MAX} + 1`;
  const matches = (text: string, pattern: string): string =>
    `${text} ~ ${parameters.add(pattern, 'text')}`;
  // Nearly all are ASCII. Of such a one the column has all characters, in lower case, and is read
  // faster than the profile.
  return `coalesce((${isShort('u.email_key', 'octet_length(u.email_key)')} and ${matches('u.email_key', ascii)})
    or (${matches(email, any)} and ${isShort(email, units)}), false)`;
}

/** A device that proves the user and has an address. */
function hasDevice(parts: StatementParts, channel: DeviceChannel): string {
  const kind = parts.parameters.add(DEVICE_KIND_OF[channel], 'text');
  const counts = `v.address is not null and v.kind = ${kind} and v.user_id_at_proof = v.user_id`;
  if (parts.shape !== 'all')
    return `exists (select from devices v where v.proved_user_id = u.id and ${counts})`;
  const facts = join(
    parts,
    `select distinct v.proved_user_id as user_id from devices v
     where v.application_id = ${parts.application} and v.proved_user_id is not null and ${counts}`,
  );
  return `${facts}.user_id is not null`;
}

function isNotSuppressed(parts: StatementParts, suppression: Suppression): string {
  const applies = suppressionsOf(parts, suppression);
  if (parts.shape !== 'all')
    return `not exists (select from suppressions x where ${applies} and ${isOf(suppression)})`;
  const alias = `f${parts.joins.length}`;
  parts.joins.push(
    `left join (select distinct x.address from suppressions x where ${applies}) ${alias} on ${alias}.address = ${suppression.key}`,
  );
  const isFree = `${alias}.address is null`;
  // Only few users have a spelling that is not the key: only for them it is looked up.
  return suppression.spelling === null
    ? isFree
    : `(${isFree} and (u.mailbox_key is null or not exists (select from suppressions x where ${applies} and x.address = ${suppression.spelling})))`;
}

/** SQL: the suppression is of the user's address. */
const isOf = ({ key, spelling }: Suppression): string =>
  spelling === null ? `x.address = ${key}` : `x.address = any(array[${spelling}, ${key}])`;

/** SQL: the first reason of the address. */
const reasonOf = (parts: StatementParts, suppression: Suppression): string =>
  `(select x.reason from suppressions x where ${suppressionsOf(parts, suppression)}
     and ${isOf(suppression)} order by x.created_at, x.id limit 1)`;

const suppressionsOf = (parts: StatementParts, { channel, purpose }: Suppression): string =>
  [
    `x.application_id = ${parts.application}`,
    `x.channel = ${parts.parameters.add(channel, 'text')}`,
    ...(purpose === 'marketing' ? [] : [`x.reason <> '${MARKETING_SUPPRESSION}'`]),
  ].join(' and ');
