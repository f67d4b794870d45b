import { afterAll, afterEach, expect, test } from '@jest/globals';
import { createMemoryBus, type BusRecord, type MemoryBus } from '@tidings/bus';
import { EVENT_KINDS, TOPICS, ingestRecordHeaders, type MessageType } from '@tidings/contracts';
import { insertEvents, readIngestReport, writeReceipts, type Database, type IngestRecord, type MessageRef, type Sql } from '@tidings/db';
import { systemIds, type Service } from '@tidings/platform';
import { connectTestDatabase, createRecordingLogger, createTestApplication, eventually } from '@tidings/testing';
import { startIngestConsumer } from './ingest-consumer.ts';

const db = connectTestDatabase();
const running: Service[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.stopIntake?.();
});
afterAll(() => db.close());

/** Stores events as they are: what the events consumer does beside is not what is tried here. */
async function storeEvents(sql: Sql, records: readonly IngestRecord[]): Promise<void> {
  const events: MessageRef[] = records.flatMap((record) => record.messages.map((_, index) => ({ record, index })));
  await insertEvents(sql, events.map((event) => ({ ...event, slug: 'viewd', userId: null })));
  await writeReceipts(sql, records.map((record) => ({ record, receipts: record.messages.map(() => ({ outcome: 'stored' as const })) })));
}

type Sent = { readonly value: Buffer | string; readonly headers?: Readonly<Record<string, string>>; readonly kinds?: readonly MessageType[] | null };

async function newTopic() {
  const { applicationId } = await createTestApplication(db);
  const bus = createMemoryBus();
  const producer = await bus.producer();
  return {
    bus,
    /** One record of one action, on the partition of all others (`kinds: null`: without that header); its request id. */
    async send({ value, headers = {}, kinds = ['action'] }: Sent): Promise<string> {
      const requestId = systemIds.uuid();
      const { kinds: kindsHeader, ...others } = ingestRecordHeaders({ applicationId, requestId, receivedAt: Date.now(), keyType: 'server', kinds: kinds ?? [] });
      const own = { ...others, ...(kinds !== null && kindsHeader !== undefined && { kinds: kindsHeader }) };
      await producer.produce(TOPICS.ingest, [{ key: 'one partition', value, headers: { ...own, ...headers } }]);
      return requestId;
    },
    async storedIds(): Promise<string[]> {
      const { rows } = await db.sql.query<{ message_id: string }>('select message_id from events where application_id = $1 order by message_id', [applicationId]);
      return rows.map((row) => row.message_id);
    },
    report: (requestId: string) => readIngestReport(db, applicationId, requestId),
  };
}

function actionBatch(id: string, fields = ''): string {
  return `{"customUserId":"ada","messages":[{"type":"action","id":"${id}","time":1,"customName":"viewed"${fields}}]}`;
}

async function start(bus: MemoryBus, { database = db, apply = storeEvents, group = 'events-consumer' } = {}) {
  const { logger, lines } = createRecordingLogger();
  const service = await startIngestConsumer({ bus, db: database, logger }, { consumer: 'events', group, kinds: EVENT_KINDS, apply });
  running.push(service);
  return { service, lines };
}

/** Resolves when the group has committed everything that was sent. */
async function untilAllIsDone(bus: MemoryBus, group = 'events-consumer'): Promise<void> {
  await eventually(async () => {
    const committed = await bus.admin.committedOffsets(group, TOPICS.ingest);
    for (const [partition, { high }] of await bus.admin.topicOffsets(TOPICS.ingest)) expect(committed.get(partition) ?? 0n).toBe(high);
  });
}

async function deadLetters(bus: MemoryBus): Promise<BusRecord[]> {
  const letters: BusRecord[] = [];
  const reader = await bus.consume({
    group: systemIds.uuid(),
    topics: [TOPICS.deadLetters],
    async handleBatch(batch) {
      letters.push(...batch.records);
    },
  });
  const written = [...(await bus.admin.topicOffsets(TOPICS.deadLetters)).values()].reduce((sum, { high }) => sum + Number(high), 0);
  await eventually(() => expect(letters).toHaveLength(written));
  await reader.stop();
  return letters;
}

test('a record without a message of its kinds is passed over, unparsed', async () => {
  const { bus, send, storedIds } = await newTopic();
  await send({ value: 'no JSON at all', kinds: ['user'] });
  await send({ value: actionBatch('m1'), kinds: ['user', 'action'] });
  await send({ value: 'no JSON at all', headers: { kinds: '' } });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await storedIds()).toEqual(['m1']);
  expect(await deadLetters(bus)).toEqual([]);
});

test.each([
  ['without any header', {}],
  ['without the header of its kinds alone', { 'application-id': systemIds.uuid(), 'request-id': systemIds.uuid(), 'received-at': '1', 'key-type': 'server' }],
])('a record %s that nobody can read is set aside as it was, not passed over', async (_, headers) => {
  const { bus, send, storedIds } = await newTopic();
  const producer = await bus.producer();
  await producer.produce(TOPICS.ingest, [{ key: 'one partition', value: 'no JSON at all', headers }]);
  await send({ value: actionBatch('m1') });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await storedIds()).toEqual(['m1']);
  const [letter, ...others] = await deadLetters(bus);
  expect(others).toEqual([]);
  expect(letter?.value.toString()).toBe('no JSON at all');
  expect(letter?.headers).toMatchObject({ ...headers, 'dead-letter-error-class': 'unreadable' });
});

test('a record that lacks only the header of its kinds is applied', async () => {
  const { bus, send, storedIds } = await newTopic();
  await send({ value: actionBatch('m1'), kinds: null });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await storedIds()).toEqual(['m1']);
  expect(await deadLetters(bus)).toEqual([]);
});

test.each([
  ['a NUL in an attribute', actionBatch('bad', ',"attributes":{"x":"a\\u0000b"}'), '22P05'],
  ['a NUL in its id', actionBatch('bad\\u0000'), '22P05'],
  ['a NUL in its customUserId', actionBatch('bad').replace('ada', 'a\\u0000'), '22021'],
  ['a time beyond the last Long', actionBatch('bad').replace('"time":1', '"time":9223372036854775808'), '22003'],
])('a record that Postgres refuses (%s) is set aside as it was, and all others of the batch are stored', async (_, poison, sqlState) => {
  const { bus, send, storedIds } = await newTopic();
  const before = await Promise.all(Array.from({ length: 7 }, (_value, index) => send({ value: actionBatch(`before-${index}`) })));
  const requestId = await send({ value: poison, headers: { traceparent: '00-trace' } });
  await Promise.all(Array.from({ length: 4 }, (_value, index) => send({ value: actionBatch(`with-${index}`) })));

  const { lines } = await start(bus, {
    apply: async (sql, records) => {
      // As resolving identities does, which these events are stored without.
      await sql.query('select $1::text[]', [records.map((record) => record.customUserId)]);
      await storeEvents(sql, records);
    },
  });
  await untilAllIsDone(bus);

  expect(before).toHaveLength(7);
  expect(await storedIds()).toHaveLength(11);
  const [letter, ...others] = await deadLetters(bus);
  expect(others).toEqual([]);
  expect(letter?.value.toString()).toBe(poison);
  expect(letter?.key?.toString()).toBe('one partition');
  expect(letter?.headers).toMatchObject({
    'request-id': requestId,
    traceparent: '00-trace',
    'dead-letter-consumer': 'events',
    'dead-letter-topic': TOPICS.ingest,
    'dead-letter-offset': '7',
    'dead-letter-error-class': 'data',
    'dead-letter-sqlstate': sqlState,
  });
  expect(lines).toContainEqual(expect.objectContaining({ level: 'error', errorClass: 'data' }));
  expect(JSON.stringify(lines)).not.toContain('bad');
});

test('the messages of a record that was set aside have an outcome', async () => {
  const { bus, send, report } = await newTopic();
  const requestId = await send({ value: actionBatch('bad', ',"attributes":{"x":"a\\u0000b"}') });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await report(requestId)).toMatchObject({ complete: true, messages: [{ id: 'bad', outcome: 'dropped', reason: 'dead_letter' }] });
});

test('a record that nobody can read is set aside as it was, and all others of the batch are stored', async () => {
  const { bus, send, storedIds } = await newTopic();
  const bytes = Buffer.from([0xff, 0x00, 0x7b, 0xc3, 0x28]);
  await send({ value: actionBatch('m1') });
  await send({ value: bytes });
  await send({ value: actionBatch('m2'), headers: { 'request-id': 'not a UUID' } });
  await send({ value: '{"customUserId":"ada","messages":[{"type":"action","id":"m3","time":1.5,"customName":"v"}]}' });
  await send({ value: actionBatch('m4') });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await storedIds()).toEqual(['m1', 'm4']);
  const letters = await deadLetters(bus);
  expect(letters.map(({ headers }) => headers['dead-letter-error-class'])).toEqual(['unreadable', 'unreadable', 'unreadable']);
  expect(letters[0]?.value.equals(bytes)).toBe(true);
  expect(letters[1]?.headers['request-id']).toBe('not a UUID');
});

test('while the database is away nothing is stored, set aside or committed; afterwards everything is, once', async () => {
  const { bus, send, storedIds } = await newTopic();
  await send({ value: 'unreadable' });
  await send({ value: actionBatch('bad', ',"attributes":{"x":"a\\u0000b"}') });
  await send({ value: actionBatch('m1') });
  let failures = 0;
  const database: Database = {
    ...db,
    transaction: (work) => {
      failures += 1;
      if (failures === 1) return Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
      // Lost in the middle, after the statements ran.
      if (failures < 4) return db.transaction(async (sql) => { await work(sql); throw new Error('Connection terminated unexpectedly'); });
      return db.transaction(work);
    },
  };

  await start(bus, { database });
  await untilAllIsDone(bus);

  expect(failures).toBeGreaterThan(4);
  expect(await storedIds()).toEqual(['m1']);
  expect((await deadLetters(bus)).map(({ headers }) => headers['dead-letter-error-class']).sort()).toEqual(['data', 'unreadable']);
});

test('a transaction that committed although its answer was lost is not repeated', async () => {
  const { bus, send, storedIds } = await newTopic();
  for (const id of ['m1', 'm2', 'm3']) await send({ value: actionBatch(id) });
  let isFirst = true;
  const applied: number[] = [];
  const database: Database = {
    ...db,
    async transaction(work) {
      const result = await db.transaction(work);
      if (!isFirst) return result;
      isFirst = false;
      throw new Error('Connection terminated unexpectedly');
    },
  };

  await start(bus, {
    database,
    apply: async (sql, records) => {
      applied.push(records.length);
      await storeEvents(sql, records);
    },
  });
  await untilAllIsDone(bus);

  expect(applied).toEqual([3]);
  expect(await storedIds()).toEqual(['m1', 'm2', 'm3']);
});

test('a consumer that starts over, having lost its offsets, repeats nothing and sets nothing aside again', async () => {
  const { bus, send, storedIds } = await newTopic();
  for (const id of ['m1', 'm2']) await send({ value: actionBatch(id) });
  await send({ value: actionBatch('bad', ',"attributes":{"x":"a\\u0000b"}') });
  const { service } = await start(bus);
  await untilAllIsDone(bus);
  await service.stopIntake?.();
  await send({ value: actionBatch('m3') });

  await start(bus, { group: 'another group' });
  await untilAllIsDone(bus, 'another group');

  expect(await storedIds()).toEqual(['m1', 'm2', 'm3']);
  expect(await deadLetters(bus)).toHaveLength(1);
});

test('while the dead letters’ topic is away the poison stays where it is, and goes there once it is back', async () => {
  const { bus, send, storedIds } = await newTopic();
  await send({ value: actionBatch('m1') });
  await send({ value: 'unreadable' });
  bus.setAvailable(false);

  await start(bus);
  await eventually(async () => expect(await storedIds()).toEqual(['m1']));
  expect([...(await bus.admin.committedOffsets('events-consumer', TOPICS.ingest)).values()]).toEqual([]);
  bus.setAvailable(true);
  await untilAllIsDone(bus);

  expect(await deadLetters(bus)).toHaveLength(1);
});

test('a backlog is applied in transactions of a bounded size, however many messages a record has', async () => {
  const { bus, send } = await newTopic();
  const message = (id: string): string => `{"type":"action","id":"${id}","time":1,"customName":"viewed"}`;
  for (let record = 0; record < 12; record += 1) {
    await send({ value: `{"customUserId":"ada","messages":[${Array.from({ length: 500 }, (_, index) => message(`${record}-${index}`)).join()}]}` });
  }
  const sizes: number[] = [];

  await start(bus, {
    apply: async (sql, records) => {
      sizes.push(records.reduce((sum, record) => sum + record.messages.length, 0));
      await storeEvents(sql, records);
    },
  });
  await untilAllIsDone(bus);

  expect(sizes).toEqual([2000, 2000, 2000]);
});
