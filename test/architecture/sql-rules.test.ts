import { describe, expect, test } from '@jest/globals';
import { CONTACT_FIELDS } from '@tidings/contracts/channels/addresses';
import { POLLED_CHANNELS } from '@tidings/contracts/channels/channels';
import {
  DEVICE_CHANNELS,
  DEVICE_KIND_OF,
  DEVICES_SENT_TO_MAX,
} from '@tidings/contracts/channels/device-channels';
import { MARKETING_SUPPRESSION } from '@tidings/contracts/channels/suppression-reasons';
import { LIMITS } from '@tidings/contracts/limits';
import { TIME_ZONE_ATTRIBUTE } from '@tidings/contracts/policies';
import {
  STATE_GROUPS,
  SUCCESS_STATES,
  UNREACHABLE_REASONS,
} from '@tidings/contracts/push/deliveries';
import { COUNTED_NOTES, MACHINE_NOTES } from '@tidings/delivery/counting';
import { NOTES } from '@tidings/delivery/outcome-rules';
import { asRun } from '@tidings/postgres/statements';
import { readSqlTexts } from './statement-files.ts';

const texts = readSqlTexts();

/** SQL on one line, independent of its layout. */
const plain = (sql: string): string => asRun(sql).replaceAll(/(?<=[([]) | (?=[)\]])/g, '');

/** What a text of this name has of its own, without what it includes. */
const ownText = (name: string): string =>
  plain(texts.find((one) => one.name === name)?.text ?? `nothing is named ${name}`);

/**
 * Rules that have one place. What matches the sign outside of that place is the rule written once
 * more, or has another meaning: then its name is an exception.
 */
const RULES: readonly (readonly [part: string, sign: RegExp, ...exceptions: string[]])[] = [
  ['written-ahead', /statement_timestamp/],
  [
    'written-now',
    /(?<!\.)\bwritten_at = /,
    'correct-future-times',
    'reschedule-webhooks-written-ahead',
    'claim-webhooks',
    'record-webhook-outcomes',
  ],
  ['paused', /from channel_pauses p join/],
  ['mailbox-key', /u\.mailbox_spelling/],
  ['claim-is-over', /d\.state = 'claimed' and \(/],
  ['claimable', /d\.next_at </],
  ['next-claim', /min\( ?case/],
  ['state-group', /then 'pending' else (?!'pending)/, 'shown-receipts'],
  ['counted-reason', /'internal'/],
  ['count-deltas', /insert into campaign_counters/],
  ['success-states', /\('sent', '/],
  ['counted-notes', /'complained', 'unsub/],
  ['unreachable-reasons', /'left_segment'/],
  ['outcome-time', /1e14/],
  ['device-channels', new RegExp(`'(${DEVICE_CHANNELS.join('|')})', `)],
  ['polled-channels', /(?<!values )\('SMS'/],
  ['channel-sends', /'sendUntested'/, 'accept-campaigns', 'has-account-left'],
  ['is-ready', /status = 'ready'/, 'mark-account-ready', 'has-account-left'],
  ['further-account', /a\.version = s\.version/],
  ['contact-fields', /'phoneE164'/],
  ['allows', /x\.reason <> /, 'read-suppressed-channels'],
  ['own-time-zone', /custom_attributes ->>/],
  ['proved-user', /when \w+\.user_id_at_proof/],
  ['proves', /and \w+\.user_id_at_proof = /],
  ['dead-address', /for update of l\b/],
  ['free-in-inbox', /i\.lease_until is null/],
  ['record-words', /on r\.id = m\.id/],
  ['client-budget', /clock_timestamp\(\) - b\.refilled_at/],
  ['endpoints-with-due-webhooks', /waiting\(endpoint_id\)/],
  ['shown-receipts', /full join \(select message_index/],
  ['is-of-user', /m\.type = 'user'/],
  ['is-on-page', /received_at <= \$2::timestamptz and/],
  ['micros', /\* 1000000\)/],
  [
    'logged-columns',
    /m\.message_index, m\.message_id, m\.type, m\.outcome, m\.reason/,
    'read-ingest-report',
  ],
  ['event-columns', /e\.attributes::text/, 'read-message-detail'],
  ['current-definition', /coalesce\(o\.merged_into, o\.slug\)/],
  ['page-of-user-events', /order by time desc, request_id/],
  ['service-user-ids', /i\.service_user_id::text/],
  ['comes-after', /\(d\.chunk_no, d\.id\) >/],
  ['member-columns', /m\.signed_in_at/],
  ['has-owner', /exists \(select 1 from members/],
  ['as-double', /1\.7e308/],
];

describe('a rule of SQL is written once', () => {
  test.each(RULES)('%s', (part, sign, ...exceptions) => {
    const having = texts.filter(({ text }) => sign.test(plain(text))).map(({ name }) => name);

    expect(having.toSorted()).toEqual([part, ...exceptions].toSorted());
  });

  test('a part is used', () => {
    const unused = texts.filter(
      ({ kind, name }) =>
        kind === 'part' &&
        !texts.some(({ text }) =>
          new RegExp(`-- include: ([\\w-]+/)?${name}(\\(|,|$| as )`, 'm').test(text),
        ),
    );

    expect(unused.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
  });
});

const list = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');
const pending = Object.entries(STATE_GROUPS).flatMap(([state, group]) =>
  group === 'pending' ? [state] : [],
);

/** What SQL says with the values of constants of the code. */
const CONSTANTS: readonly (readonly [name: string, sql: string])[] = [
  ['success-states', `(${list(SUCCESS_STATES)})`],
  ['counted-notes', `(${list(COUNTED_NOTES)})`],
  ['unreachable-reasons', `(${list(UNREACHABLE_REASONS)})`],
  ['pending-states', `(${list(pending)})`],
  ['device-channels', `(${list(DEVICE_CHANNELS)})`],
  ['polled-channels', `(${list(POLLED_CHANNELS)})`],
  [
    'contact-fields',
    CONTACT_FIELDS.map((field) => `'${field}', u.fields -> '${field}'`).join(', '),
  ],
  ['allows', `x.reason <> '${MARKETING_SUPPRESSION}'`],
  ['own-time-zone', `u.custom_attributes ->> '${TIME_ZONE_ATTRIBUTE}'`],
  ['claim-addresses', `f.address_no < ${DEVICES_SENT_TO_MAX}`],
  ['reachable-kinds', `v.kind in (${list(Object.values(DEVICE_KIND_OF))})`],
  [
    'lock-deliveries',
    `array_remove(array[${NOTES.map((note) => `case when d.${note}_at is not null then '${note}' end`).join(', ')}], null) as noted`,
  ],
  [
    'record-updates',
    NOTES.map((note) => `${note}_at = coalesce(d.${note}_at, n.${note})`).join(', '),
  ],
  ['record-updates', `where note in (${list(MACHINE_NOTES)})`],
  [
    'client-budget',
    `least(${LIMITS.clientDefinitionsBurst}, coalesce(b.tokens + greatest(0, extract(epoch from clock_timestamp() - b.refilled_at)::float8) * ${LIMITS.clientDefinitionsPerHour} / 3600.0, ${LIMITS.clientDefinitionsBurst}))`,
  ],
];

describe('SQL has the values of the code', () => {
  test.each(CONSTANTS)('%s: %s', (name, sql) => {
    expect(ownText(name)).toContain(sql);
  });
});
