/** @needs kafka */

import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createKafkaBus, type Bus, type OutgoingRecord } from '@tidings/bus';
import { replayHeaders } from '@tidings/contracts/ingest/dead-letters';
import { EVENT_KINDS, type MessageType } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { ingestRecordHeaders } from '@tidings/contracts/ingest/records';
import { requestReplay, listDeadLetters } from '@tidings/events/dead-letter-admin';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import type { IngestConsumer } from '@tidings/events/take-records';
import { startIngestConsumer } from '@tidings/ingest-consumer';
import {
  createLogger,
  readEnvironment,
  systemClock,
  systemIds,
  type Service,
} from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { createOwnDatabase, createTestApplication, eventually, randomFrom } from '@tidings/testing';
import { PROFILE, REGISTERED, setListens } from '@tidings/user-changes/listens';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { createHash } from 'node:crypto';
import { applyEventMessages } from './apply-event-messages.ts';

// On a real broker: groups take seconds to form.
jest.setTimeout(90_000);

const PEOPLE = 20;
const REQUESTS = 300;
const HOUR_MS = 3_600_000;
/** On 20 days of events, so that each appears in a chart. */
const FIRST_TIME = Date.now() - 30 * 24 * HOUR_MS;
const TABLES = [
  'ingest_requests',
  'receipts',
  'duplicate_keys',
  'events',
  'users',
  'user_identities',
  'definitions',
  'dead_letters',
  // How many changes of users were appended.
  'log_heads',
];

let db: Database;
let bus: Bus;
const topic = `replayed-${systemIds.uuid()}`;
const running = new Set<Service>();

beforeAll(async () => {
  db = await createOwnDatabase({ poolMax: 20 });
  bus = createKafkaBus({
    brokers: (readEnvironment()['KAFKA_BROKERS'] ?? '').split(','),
    clientId: 'topic-replayed',
    logger: createLogger('topic-replayed', 'fatal'),
    requestTimeoutMs: 5_000,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 200,
    handlerStallMs: 60_000,
  });
  await bus.admin.ensureTopics(
    [{ topic, partitions: 3, retentionMs: 3_600_000, recordBytesMax: 2 * 1024 * 1024 }],
    { replicationFactor: 1, minInsyncReplicas: 1 },
  );
});
afterAll(async () => {
  for (const service of running) await service.stopIntake();
  await bus.disconnect();
  await db.close();
});

const CONSUMERS = {
  users: { kinds: ['user'], apply: applyUserMessages },
  events: { kinds: EVENT_KINDS, apply: applyEventMessages },
} as const satisfies Record<
  IngestConsumer,
  {
    readonly kinds: readonly MessageType[];
    readonly apply: (sql: Sql, records: readonly IngestRecord[]) => Promise<void>;
  }
>;

type Round = { readonly name: string; readonly database?: Database };

/** Runs both consumers in new groups from offset 0, until they have read to the end. */
async function readAll({ name, database = db }: Round): Promise<void> {
  // A separate topic: other tests of the run use the product's.
  const onTopic: Bus = {
    ...bus,
    consume: (options) => bus.consume({ ...options, topics: [topic] }),
  };
  const deps = {
    bus: onTopic,
    db: database,
    logger: createLogger('topic-replayed', 'fatal'),
    clock: systemClock,
    ids: systemIds,
  };
  const services = await Promise.all(
    (['users', 'events'] as const).map((consumer) =>
      startIngestConsumer(deps, {
        consumer,
        group: `${name} ${consumer} ${topic}`,
        ...CONSUMERS[consumer],
      }),
    ),
  );
  for (const service of services) running.add(service);
  await eventually(
    async () => {
      const ends = [...(await bus.admin.topicOffsets(topic))].filter(([, { high }]) => high > 0n);
      for (const consumer of ['users', 'events']) {
        const committed = await bus.admin.committedOffsets(`${name} ${consumer} ${topic}`, topic);
        for (const [partition, { high }] of ends) expect(committed.get(partition) ?? 0n).toBe(high);
      }
    },
    { timeoutMs: 60_000, intervalMs: 100 },
  );
  for (const service of services) {
    await service.stopIntake();
    running.delete(service);
  }
}

/**
 * Events by quarter hour of event time, summed over connections. `of` is a table, or a query with
 * the same columns.
 */
async function chartOf(of: string): Promise<string[]> {
  const { rows } = await db.sql.query<{ row: string }>(
    `select concat_ws(' ', slug, quarter, currency, sum(events), sum(revenue)::float8) as row from ${of} as t group by slug, quarter, currency order by 1`,
  );
  return rows.map(({ row }) => row);
}
const RECOUNT =
  "(select slug, event_quarter(time, received_at) as quarter, coalesce(currency, '') as currency, 1 as events, coalesce(revenue, 0)::numeric as revenue from events)";

/** All rows of every table, without the times of writing. */
async function checksums(): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const table of TABLES) {
    const { rows } = await db.sql.query<{ row: string }>(
      `select (to_jsonb(t) - 'updated_at' - 'value' || jsonb_build_object('at', t.tableoid::int))::text as row from ${table} t order by 1`,
    );
    sums[table] = `${rows.length} rows ${createHash('sha256')
      .update(rows.map(({ row }) => row).join('\n'))
      .digest('hex')
      .slice(0, 12)}`;
  }
  return sums;
}

const random = randomFrom(21);
const pick = (below: number): number => Math.floor(random() * below);

function record(
  applicationId: string,
  value: string,
  kinds: readonly MessageType[],
  key: string,
): OutgoingRecord & { readonly requestId: string } {
  const requestId = systemIds.uuid();
  return {
    key,
    value,
    requestId,
    headers: ingestRecordHeaders({
      applicationId,
      requestId,
      receivedAt: Date.now(),
      keyType: 'server',
      kinds,
    }),
  };
}

/**
 * Events and profiles of a few users, some anonymous, with repeated ids and times, unknown slugs
 * and empty names.
 */
function mixedTraffic(applicationId: string) {
  const anonymous = Array.from({ length: PEOPLE }, () => systemIds.uuid());
  return Array.from({ length: REQUESTS }, () => {
    const person = pick(PEOPLE);
    const messages = Array.from({ length: 1 + pick(4) }, () => {
      const common = { id: `m${pick(2 * REQUESTS)}`, time: FIRST_TIME + pick(500) * HOUR_MS };
      switch (pick(5)) {
        case 0:
          return {
            type: 'user',
            ...common,
            firstName: `name ${pick(9)}`,
            customAttributes: { [`k${pick(4)}`]: pick(100) },
          };
        case 1:
          return {
            type: 'revenue',
            ...common,
            customName: 'order',
            revenue: pick(100),
            currency: 'EUR',
          };
        case 2:
          return {
            type: 'action',
            ...common,
            ...(pick(2) === 0 ? { name: 'unknown' } : { customName: '' }),
          };
        default:
          return {
            type: 'action',
            ...common,
            customName: `event ${pick(5)}`,
            attributes: { n: pick(9) },
          };
      }
    });
    const ids = [
      { customUserId: `person-${person}` },
      { serviceUserId: anonymous[person] },
      { customUserId: `person-${person}`, serviceUserId: anonymous[person] },
    ][pick(3)];
    const kinds = [...new Set(messages.map(({ type }) => type as MessageType))];
    return record(applicationId, JSON.stringify({ ...ids, messages }), kinds, `person-${person}`);
  });
}

/** The application listens to one of its events and to users. */
async function listen(applicationId: string): Promise<void> {
  const definition = { applicationId, name: 'event 0', kind: 'action' } as const;
  const made = await createDefinition(db, definition);
  if (typeof made === 'string') throw new Error(made);
  await setListens(db.sql, applicationId, [made.slug, REGISTERED, PROFILE]);
}

const action = (fields: string, id = systemIds.uuid()): string =>
  `{"customUserId":"person-1","messages":[{"type":"action","id":"${id}","time":1,"customName":"poison"${fields}}]}`;
/** Records that the gateway would reject, published directly, with the expected SQLSTATE. */
const POISON: readonly (readonly [string, string, string | null])[] = [
  ['a NUL in an attribute', action(',"attributes":{"x":"a\\u0000b"}'), '22P05'],
  ['a NUL in its id', action('', 'a\\u0000b'), '22021'],
  ['a NUL in the customUserId', action('').replace('person-1', 'person\\u0000'), '22021'],
  ['a lone surrogate', action(',"attributes":{"x":"\\ud800"}'), '22P02'],
  [
    'a time beyond the greatest Long',
    action('').replace('"time":1', '"time":9223372036854775808'),
    '22003',
  ],
  [
    'a value nested too deeply to be serialised',
    action(`,"attributes":{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
    null,
  ],
  [
    'a customUserId that is too long for an index',
    action('').replace('person-1', 'x'.repeat(3_000)),
    null,
  ],
  ['no JSON at all', '{"broken', null],
  ['a time that is not an integer', action('').replace('"time":1', '"time":1.5'), null],
];

describe('poison among valid records, and a topic read again', () => {
  let applicationId = '';
  let good: (OutgoingRecord & { readonly requestId: string })[] = [];
  let poison: (OutgoingRecord & { readonly requestId: string })[] = [];
  let first: Record<string, string> = {};

  beforeAll(async () => {
    ({ applicationId } = await createTestApplication(db));
    await listen(applicationId);
    good = mixedTraffic(applicationId);
    // One in every eleven, at any position; each three times.
    poison = [...POISON, ...POISON, ...POISON].map(([, value]) =>
      record(applicationId, value, ['action'], `person-${pick(PEOPLE)}`),
    );
    const all: OutgoingRecord[] = good.flatMap((one, index) =>
      index % 11 === 5 && poison[(index - 5) / 11] !== undefined
        ? [one, poison[(index - 5) / 11] ?? one]
        : [one],
    );
    await (await bus.producer()).produce(topic, all);
    await readAll({ name: 'first' });
    first = await checksums();
  }, 90_000);

  test('exactly the poison is set aside, each once, with the reason of its rejection; every other record is applied', async () => {
    const deadLetters = await listDeadLetters(db, { applicationId }, { limit: 500 });
    const expected = poison.map(({ requestId }, index) => [
      requestId,
      POISON[index % POISON.length]?.[2] ?? null,
    ]);

    expect(deadLetters.map((deadLetter) => deadLetter.consumer)).toEqual(
      deadLetters.map(() => 'events'),
    );
    expect(deadLetters.map(({ requestId, sqlState }) => [requestId, sqlState]).sort()).toEqual(
      expected.sort(),
    );
    for (const { requestId } of good)
      expect(await readIngestReport(db, applicationId, requestId)).toMatchObject({
        complete: true,
      });
  });

  test('reading the whole topic again from its beginning, twice, changes no row of any table', async () => {
    const { rows } = await db.sql.query<{ changes: number }>(
      'select sum(next)::int as changes from log_heads',
    );
    expect(rows[0]?.changes).toBeGreaterThan(PEOPLE);

    await readAll({ name: 'second' });
    expect(await checksums()).toEqual(first);
    await readAll({ name: 'third' });

    expect(await checksums()).toEqual(first);
    expect(Object.values(first).every((sum) => !sum.startsWith('0 rows'))).toBe(true);
    const counted = await chartOf('event_quarters');
    expect(counted.length).toBeGreaterThan(100);
    expect(counted).toEqual(await chartOf(RECOUNT));
  });

  test('nor does a reading in which every third of the first transactions fails, before or after its commit', async () => {
    let transactions = 0;
    const database: Database = {
      ...db,
      async transaction(work) {
        transactions += 1;
        if (transactions > 30 || transactions % 3 !== 0) return db.transaction(work);
        if (transactions % 2 === 0) await db.transaction(work);
        throw new Error('Connection terminated unexpectedly');
      },
    };

    await readAll({ name: 'fourth', database });

    expect(transactions).toBeGreaterThan(30);
    expect(await checksums()).toEqual(first);
    expect(await chartOf('event_quarters')).toEqual(await chartOf(RECOUNT));
  });

  test('every dead letter replayed three times in a row returns each time, and nothing else changes', async () => {
    const producer = await bus.producer();
    const withoutLetters = (sums: Record<string, string>) =>
      Object.fromEntries(Object.entries(sums).filter(([table]) => table !== 'dead_letters'));
    const before = await listDeadLetters(db, { applicationId }, { limit: 500 });

    for (let replays = 1; replays <= 3; replays += 1) {
      for (const { id } of before) {
        const asked = await requestReplay(db, { applicationId }, id);
        if (asked === null || asked === 'conflict') throw new Error('no replay');
        const again = {
          key: asked.key,
          value: asked.value,
          headers: { ...asked.headers, ...replayHeaders(asked.deadLetter) },
        };
        // Twice, like after a lost response.
        await producer.produce(topic, [again, again]);
      }
      await readAll({ name: `replay ${replays}` });
      const after = await listDeadLetters(db, { applicationId }, { limit: 500 });
      expect(
        after.map((deadLetter) => [deadLetter.id, deadLetter.status, deadLetter.replays]),
      ).toEqual(before.map(({ id }) => [id, 'waiting', replays]));
    }

    expect(withoutLetters(await checksums())).toEqual(withoutLetters(first));
    expect(await chartOf('event_quarters')).toEqual(await chartOf(RECOUNT));
  });
});
