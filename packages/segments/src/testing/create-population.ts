import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { NamedDefinition } from '../condition-context.ts';
import { FUNNELS } from './funnel-definitions.ts';
import type { Random } from './random.ts';
import type {
  Person,
  Population,
  Stamp,
  StoredCampaign,
  StoredDevice,
  StoredEvent,
} from './population.ts';
import { PLANS, someDate, someTime, someValue } from './values.ts';

const definition = (
  slug: string,
  kind: NamedDefinition['kind'],
  rest: Partial<NamedDefinition> = {},
): NamedDefinition => ({
  slug,
  kind,
  name: `name of ${slug}`,
  discarded: false,
  mergedInto: null,
  ...rest,
});

/** Of each kind; some merged, one discarded. */
export const DEFINITIONS: readonly NamedDefinition[] = [
  definition('viewd', 'action'),
  definition('seenx', 'action', { mergedInto: 'viewd' }),
  definition('login', 'action'),
  definition('chkot', 'action'),
  definition('goner', 'action', { discarded: true }),
  definition('order', 'revenue'),
  definition('sales', 'revenue', { mergedInto: 'order' }),
  definition('stock', 'businessEvent'),
  definition('never', 'action'),
];
const SLUGS = [
  'viewd',
  'viewd',
  'seenx',
  'login',
  'chkot',
  'chkot',
  'goner',
  'order',
  'order',
  'sales',
  'stock',
];

export const SEGMENTS: ReadonlyMap<string, Condition> = new Map<string, Condition>([
  [
    'vip',
    {
      any: [
        { attribute: 'plan', is: 'pro' },
        { event: 'order', within: '30d' },
      ],
    },
  ],
  ['inner', { all: [{ segment: 'vip' }, { not: { event: 'login', within: '14d' } }] }],
  ['outer', { any: [{ segment: 'inner' }, { field: 'country', in: ['DE', 'AT'] }] }],
]);

export const COUNTRIES_USED = ['DE', 'AT', 'CH', 'de', ''];
export const ATTRIBUTES = ['plan', 'score', 'active', 'lastOrder', 'a.b', 'a', 'timeZone', 'gone'];
export const EVENT_ATTRIBUTES = ['price', 'color', 'at', 'a'];
const EMAILS = [
  'ada@example.com',
  'Bob@Example.com',
  'carl@müller.example',
  'Carl@xn--mller-kva.example',
  ' carl@MÜLLER.example\n',
  'no address',
  'a@b@c',
  'x@y.',
  '<i>@example.com',
  '',
  `${'l'.repeat(65)}@example.com`,
  `a@${'d'.repeat(253)}`,
];
const PHONES = ['+491701234567', '+4915112345678', '0170 1234567'];
export const ZONES = ['Europe/Berlin', 'America/New_York', 'UTC'];
const REVENUES = [10, 19.99, 0.1, 0.2, 0.30000000000000004, -5, 200, 1e-7, 123_456_789.12, 0];
/** Several of one channel and purpose, so that counts have more than one. */
const CAMPAIGNS: readonly Omit<StoredCampaign, 'id'>[] = [
  { channel: 'EMAIL', purpose: 'marketing', tags: ['sale'] },
  { channel: 'EMAIL', purpose: 'marketing', tags: ['news', 'sale'] },
  { channel: 'EMAIL', purpose: 'transactional', tags: [] },
  { channel: 'SMS', purpose: 'marketing', tags: ['Sale'] },
  { channel: 'IN_APP', purpose: 'transactional', tags: ['news'] },
];
const CURRENCIES_USED = ['EUR', 'EUR', 'USD'];

/**
 * An application with users of every kind; the same for the same seed, but for their ids, which begin
 * with a part of the application's: tests with the same seed share a database.
 */
export function createPopulation(
  { uuid, ...others }: Random,
  { applicationId, now, count }: { applicationId: string; now: number; count: number },
): Population {
  const random: Random = { ...others, uuid: () => applicationId.slice(-8) + uuid().slice(8) };
  const campaigns = CAMPAIGNS.map((each) => ({ id: random.uuid(), ...each }));
  const persons = Array.from({ length: count }, (_, index) =>
    createPerson(random, { now, index, campaigns }),
  );
  const suppressions = [
    ...random
      .some(EMAILS.slice(0, 3), 2)
      .map((email) => ({ channel: 'EMAIL' as const, address: email.toLowerCase() })),
    { channel: 'SMS' as const, address: random.pick(PHONES.slice(0, 2)) },
  ].map((each) => ({
    ...each,
    reason: random.pick(['unsubscribed', 'suppressed_bounce'] as const),
  }));
  return {
    applicationId,
    now,
    timeZone: random.chance(0.7) ? random.pick(ZONES) : null,
    sendUntested: random.chance(0.5),
    channels: Object.fromEntries(
      CHANNELS.filter(() => random.chance(0.85)).map((channel) => [
        channel,
        random.chance(0.7) ? 'ready' : 'untested',
      ]),
    ),
    definitions: DEFINITIONS,
    segments: SEGMENTS,
    funnels: FUNNELS,
    campaigns,
    persons,
    suppressions: suppressions.filter(
      ({ channel, address, reason }, position) =>
        suppressions.findIndex(
          (other) =>
            other.channel === channel && other.address === address && other.reason === reason,
        ) === position,
    ),
  };
}

type Setting = {
  readonly now: number;
  readonly index: number;
  readonly campaigns: readonly StoredCampaign[];
};

function createPerson(random: Random, setting: Setting): Person {
  const { now, index, campaigns } = setting;
  const id = random.uuid();
  const isNamed = random.chance(0.93);
  const isRegistered = isNamed && random.chance(0.92);
  const mergedIds =
    isNamed && random.chance(0.25)
      ? random.some([1, 2, 3], random.integer(1, 3)).map(() => random.uuid())
      : [];
  const phone = random.chance(0.6) ? random.pick(PHONES) : undefined;
  const fields = {
    ...(random.chance(0.8) && { country: random.pick(COUNTRIES_USED) }),
    ...(random.chance(0.5) && { firstName: random.pick(PLANS) }),
    ...(random.chance(0.7) && { email: random.pick(EMAILS) }),
    ...(random.chance(0.2) && { hashedEmail: 'hash' }),
    ...(phone !== undefined && { phoneNumber: phone }),
    ...(random.chance(0.5) && { birthday: someTime(random, now) }),
  };
  const customAttributes = someAttributes(random, now);
  const ids = [id, ...mergedIds];
  const eventCount = random.chance(0.02) ? 120 : random.chance(0.2) ? 0 : random.integer(1, 14);
  return {
    id,
    customUserId: isNamed ? `user-${index}` : null,
    registeredAt: isRegistered ? someTime(random, now) : null,
    mergedIds,
    fields,
    customAttributes,
    clocks: { fields: stamps(random, fields), custom: stamps(random, customAttributes) },
    phoneE164: phone?.startsWith('+') === true && random.chance(0.9) ? phone : null,
    events: createEvents(random, { ids, now, count: eventCount }),
    devices: random.some([0], random.integer(0, 2)).map((_, at): StoredDevice => ({
      kind: random.pick(['web_push', 'fcm', 'none']),
      hasAddress: random.chance(0.7),
      timeZone: random.chance(0.6) ? random.pick(ZONES) : null,
      seenAt: now - at * 1000 - random.integer(0, 900),
      isProof: random.chance(0.7),
    })),
    messages: isRegistered
      ? campaigns
          .filter(() => random.chance(0.5))
          .map(({ id: campaignId }) => ({
            campaignId,
            isTest: random.chance(0.1),
            sent: random.chance(0.8) ? someTime(random, now) : null,
            delivered: random.chance(0.6) ? someTime(random, now) : null,
            opened: random.chance(0.4) ? someTime(random, now) : null,
            clicked: random.chance(0.2) ? someTime(random, now) : null,
          }))
      : [],
  };
}

export const someAttributes = (random: Random, now: number): Record<string, unknown> =>
  Object.fromEntries(
    ATTRIBUTES.filter(() => random.chance(0.6)).map((key) => [
      key,
      someAttribute(random, { key, now }),
    ]),
  );

function someAttribute(random: Random, { key, now }: { key: string; now: number }): unknown {
  if (key === 'plan' && random.chance(0.8)) return random.pick(PLANS);
  if (key === 'lastOrder' && random.chance(0.85)) return someDate(random, now);
  if (key === 'timeZone' && random.chance(0.8)) return random.pick(ZONES);
  if (key === 'score' && random.chance(0.5)) return random.integer(0, 200);
  return someValue(random, now);
}

const stamps = (random: Random, values: object): Record<string, Stamp> =>
  Object.fromEntries(
    Object.keys(values).map((key): [string, Stamp] => [
      key,
      random.chance(0.3) ? [1, 'm', 'client'] : [1, 'm'],
    ]),
  );

function createEvents(
  random: Random,
  { ids, now, count }: { ids: readonly string[]; now: number; count: number },
): StoredEvent[] {
  const times = random.some([0], Math.ceil(count / 2)).map(() => someTime(random, now));
  return Array.from({ length: count }, (): StoredEvent => {
    const slug = random.pick(SLUGS);
    const kind = DEFINITIONS.find((each) => each.slug === slug)?.kind ?? 'action';
    // Few different times, arrivals and ids: the order of equal times matters.
    const time = random.chance(0.5) ? random.pick(times) : someTime(random, now);
    const isRevenue = kind === 'revenue';
    return {
      userId: random.pick(ids),
      slug,
      kind,
      time,
      receivedAt: now - random.integer(0, 3) * 1000,
      messageId: `${random.pick(['a', 'B', 'é', '🙂'])}${random.integer(0, 1_000_000)}`,
      attributes: isRevenue
        ? null
        : Object.fromEntries(
            EVENT_ATTRIBUTES.filter(() => random.chance(0.7)).map((key) => [
              key,
              random.chance(0.1)
                ? null
                : key === 'at'
                  ? someDate(random, now)
                  : someValue(random, now),
            ]),
          ),
      revenue: isRevenue ? random.pick(REVENUES) : null,
      currency: isRevenue ? random.pick(CURRENCIES_USED) : null,
      isProved: random.pick([true, false, null]),
    };
  });
}
