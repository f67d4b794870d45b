import { expect, test } from '@jest/globals';
import { TOPICS } from '@tidings/contracts/topics';
import { fromStoredHeaders } from '@tidings/events/dead-letters';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { actionBatch, openTestTopics, storeEvents, untilAllIsDone } from './testing/test-topic.ts';

const { db, newTopic, start } = openTestTopics();

test('a record without a message of its kinds is skipped, unparsed', async () => {
  const { bus, send, storedIds, deadLetters } = await newTopic();
  await send({ value: 'no JSON at all', kinds: ['user'] });
  await send({ value: actionBatch('m1'), kinds: ['user', 'action'] });
  await send({ value: 'no JSON at all', headers: { kinds: '' } });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await storedIds()).toEqual(['m1']);
  expect(await deadLetters()).toEqual([]);
});

test.each([
  ['without any header', {}],
  [
    'without only the header of its kinds',
    {
      'application-id': systemIds.uuid(),
      'request-id': systemIds.uuid(),
      'received-at': '1',
      'key-type': 'server',
    },
  ],
])('an unreadable record %s is set aside unchanged, not skipped', async (_, headers) => {
  const { bus, send, sendForeign, storedIds, deadLetters } = await newTopic();
  await sendForeign('no JSON at all', headers);
  await send({ value: actionBatch('m1') });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await storedIds()).toEqual(['m1']);
  const [deadLetter, ...others] = await deadLetters();
  expect(others).toEqual([]);
  expect(deadLetter?.value.toString()).toBe('no JSON at all');
  expect(deadLetter).toMatchObject({
    headers,
    error_class: 'unreadable',
    sql_state: null,
    status: 'waiting',
    application_id: null,
  });
});

test('a record that lacks only the header of its kinds is applied', async () => {
  const { bus, send, storedIds, deadLetters } = await newTopic();
  await send({ value: actionBatch('m1'), kinds: null });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await storedIds()).toEqual(['m1']);
  expect(await deadLetters()).toEqual([]);
});

test.each([
  ['a NUL in an attribute', actionBatch('bad', ',"attributes":{"x":"a\\u0000b"}'), '22P05'],
  ['a NUL in its id', actionBatch('bad\\u0000'), '22021'],
  ['a NUL in its customUserId', actionBatch('bad').replace('ada', 'a\\u0000'), '22021'],
  [
    'a time beyond the greatest Long',
    actionBatch('bad').replace('"time":1', '"time":9223372036854775808'),
    '22003',
  ],
])(
  'a record that Postgres rejects (%s) is set aside unchanged, and all others of the batch are stored',
  async (_, poison, sqlState) => {
    const { bus, applicationId, send, storedIds, deadLetters } = await newTopic();
    const before = await Promise.all(
      Array.from({ length: 7 }, (_value, index) => send({ value: actionBatch(`before-${index}`) })),
    );
    const requestId = await send({ value: poison, headers: { traceparent: '00-trace' } });
    await Promise.all(
      Array.from({ length: 4 }, (_value, index) => send({ value: actionBatch(`with-${index}`) })),
    );

    const { lines } = await start(bus, {
      apply: async (sql, records) => {
        // Like resolving identities, which these events are stored without.
        await sql.query('select $1::text[]', [records.map((record) => record.customUserId)]);
        await storeEvents(sql, records);
      },
    });
    await untilAllIsDone(bus);

    expect(before).toHaveLength(7);
    expect(await storedIds()).toHaveLength(11);
    const [deadLetter, ...others] = await deadLetters();
    expect(others).toEqual([]);
    expect(deadLetter?.value.toString()).toBe(poison);
    expect(deadLetter?.record_key?.toString()).toBe('one partition');
    expect(deadLetter).toMatchObject({
      consumer: 'events',
      application_id: applicationId,
      request_id: requestId,
      topic: TOPICS.ingest,
      record_offset: '7',
      headers: { 'request-id': requestId, traceparent: '00-trace' },
      error_class: 'data',
      sql_state: sqlState,
      status: 'waiting',
      replays: 0,
    });
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', errorClass: 'data' }));
    expect(JSON.stringify(lines)).not.toContain('bad');
  },
);

test.each(['22P02', '22003', '23505', '54000'])(
  'for any error of a record (%s), it is set aside with that SQLSTATE, and its neighbours are stored',
  async (sqlState) => {
    const { bus, send, storedIds, deadLetters } = await newTopic();
    for (const id of ['m1', 'bad', 'm2']) await send({ value: actionBatch(id) });

    await start(bus, {
      apply: async (sql, records) => {
        await storeEvents(sql, records);
        if (records.some(({ messages }) => messages[0]?.id === 'bad'))
          await sql.query(
            `do $$ begin raise exception 'refused' using errcode = '${sqlState}'; end $$`,
          );
      },
    });
    await untilAllIsDone(bus);

    expect(await storedIds()).toEqual(['m1', 'm2']);
    expect(
      (await deadLetters()).map((deadLetter) => [
        deadLetter.record_offset,
        deadLetter.error_class,
        deadLetter.sql_state,
      ]),
    ).toEqual([['1', 'data', sqlState]]);
  },
);

test('the messages of a dead letter have an outcome', async () => {
  const { bus, send, report } = await newTopic();
  const requestId = await send({ value: actionBatch('bad', ',"attributes":{"x":"a\\u0000b"}') });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await report(requestId)).toMatchObject({
    complete: true,
    messages: [{ id: 'bad', outcome: 'dropped', reason: 'dead_letter' }],
  });
});

test('an unreadable record is set aside unchanged, and all others of the batch are stored', async () => {
  const { bus, applicationId, send, storedIds, deadLetters } = await newTopic();
  const bytes = Buffer.from([0xff, 0x00, 0x7b, 0xc3, 0x28]);
  await send({ value: actionBatch('m1') });
  await send({ value: bytes });
  await send({ value: actionBatch('m2'), headers: { 'request-id': 'not a UUID' } });
  await send({
    value:
      '{"customUserId":"ada","messages":[{"type":"action","id":"m3","time":1.5,"customName":"v"}]}',
  });
  await send({ value: actionBatch('m4') });

  await start(bus);
  await untilAllIsDone(bus);

  expect(await storedIds()).toEqual(['m1', 'm4']);
  const found = await deadLetters();
  expect(found.map(({ error_class: errorClass }) => errorClass)).toEqual([
    'unreadable',
    'unreadable',
    'unreadable',
  ]);
  expect(found[0]?.value.equals(bytes)).toBe(true);
  expect(found[1]?.headers['request-id']).toBe('not a UUID');
  expect(found.map((deadLetter) => deadLetter.application_id)).toEqual([
    applicationId,
    applicationId,
    applicationId,
  ]);
  expect(found.map((deadLetter) => deadLetter.request_id === null)).toEqual([false, true, false]);
});

test('while the database is down nothing is stored, set aside or committed; afterwards everything is, once', async () => {
  const { bus, send, storedIds, deadLetters } = await newTopic();
  await send({ value: 'unreadable' });
  await send({ value: actionBatch('bad', ',"attributes":{"x":"a\\u0000b"}') });
  await send({ value: actionBatch('m1') });
  let failures = 0;
  const database: Database = {
    ...db,
    transaction: (work) => {
      failures += 1;
      if (failures === 1)
        return Promise.reject(
          Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
        );
      // The connection breaks after the statements ran.
      if (failures < 4)
        return db.transaction(async (sql) => {
          await work(sql);
          throw new Error('Connection terminated unexpectedly');
        });
      return db.transaction(work);
    },
  };

  await start(bus, { database });
  await untilAllIsDone(bus);

  expect(failures).toBeGreaterThan(4);
  expect(await storedIds()).toEqual(['m1']);
  expect((await deadLetters()).map(({ error_class: errorClass }) => errorClass)).toEqual([
    'unreadable',
    'data',
  ]);
});

test('a transaction that committed although its response was lost is not repeated', async () => {
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

test('a consumer that starts over without offsets repeats nothing and sets nothing aside again', async () => {
  const { bus, send, storedIds, deadLetters } = await newTopic();
  for (const id of ['m1', 'm2']) await send({ value: actionBatch(id) });
  await send({ value: actionBatch('bad', ',"attributes":{"x":"a\\u0000b"}') });
  const { service } = await start(bus);
  await untilAllIsDone(bus);
  await service.stopIntake?.();
  await send({ value: actionBatch('m3') });

  await start(bus, { group: 'another group' });
  await untilAllIsDone(bus, 'another group');

  expect(await storedIds()).toEqual(['m1', 'm2', 'm3']);
  expect(await deadLetters()).toHaveLength(1);
});

test('a dead letter is stored with any headers, for an existing application or unassigned', async () => {
  const { bus, send, sendForeign, deadLetters } = await newTopic();
  const headers = {
    'na\0me': 'a\0b',
    slashes: String.raw`\0 \\ \u0000`,
    '': 'empty',
    'request-id': 'x'.repeat(100_000),
  };
  await sendForeign('unreadable', headers);
  await send({ value: 'unreadable', headers: { 'application-id': systemIds.uuid() } });

  await start(bus);
  await untilAllIsDone(bus);

  const [deadLetter, unassigned] = await deadLetters();
  expect(fromStoredHeaders(deadLetter?.headers ?? {})).toMatchObject(headers);
  expect(unassigned).toMatchObject({ application_id: null, request_id: expect.any(String) });
});

test('a recreated topic counts from the beginning, and its records are still set aside', async () => {
  const [first, second] = [await newTopic(), await newTopic()];
  for (const { bus, send } of [first, second]) {
    await send({ value: 'unreadable' });
    await start(bus);
    await untilAllIsDone(bus);
  }

  expect(
    [await first.deadLetters(), await second.deadLetters()].map((found) =>
      found.map((deadLetter) => deadLetter.record_offset),
    ),
  ).toEqual([['0'], ['0']]);
});

test.each([['40P01'], ['40001']])(
  'a transaction that lost a conflict (%s) is retried at once',
  async (sqlState) => {
    const { bus, send, storedIds } = await newTopic();
    await send({ value: actionBatch('m1') });
    let calls = 0;

    const { lines } = await start(bus, {
      apply: async (sql, records) => {
        calls += 1;
        await storeEvents(sql, records);
        if (calls < 3)
          await sql.query(
            `do $$ begin raise exception 'not now' using errcode = '${sqlState}'; end $$`,
          );
      },
    });
    await untilAllIsDone(bus);

    expect(await storedIds()).toEqual(['m1']);
    expect(calls).toBe(3);
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
  },
);

test('a backlog is applied in transactions of bounded size, however many messages a record has', async () => {
  const { bus, send } = await newTopic();
  const message = (id: string): string =>
    `{"type":"action","id":"${id}","time":1,"customName":"viewed"}`;
  for (let record = 0; record < 12; record += 1) {
    await send({
      value: `{"customUserId":"ada","messages":[${Array.from({ length: 500 }, (_, index) => message(`${record}-${index}`)).join()}]}`,
    });
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
