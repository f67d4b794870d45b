import { describe, expect, test } from '@jest/globals';
import { REPLAY_HEADERS } from '@tidings/contracts/ingest/dead-letters';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { TOPICS } from '@tidings/contracts/topics';
import { fromStoredHeaders } from '@tidings/events/dead-letters';
import { requestReplay, discardDeadLetter } from '@tidings/events/dead-letter-admin';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { writeReceipts } from '@tidings/events/receipts';
import { systemIds } from '@tidings/platform';
import type { Database, Sql } from '@tidings/postgres/database';
import { createFakeClock, eventually } from '@tidings/testing';
import {
  actionBatch,
  openTestTopics,
  storeEvents,
  untilAllIsDone,
  type DeadLetterRow,
} from './testing/test-topic.ts';

const { db, newTopic, start } = openTestTopics();

/** Makes Postgres reject the records until the cause is fixed. */
function createCause() {
  const state = { isMended: false, applied: 0 };
  return {
    mend: () => void (state.isMended = true),
    applied: () => state.applied,
    apply: async (sql: Sql, records: readonly IngestRecord[]): Promise<void> => {
      if (!state.isMended)
        await sql.query("do $$ begin raise exception 'refused' using errcode = '22P05'; end $$");
      await storeEvents(sql, records);
      state.applied += 1;
    },
  };
}

async function onlyDeadLetter({
  deadLetters,
}: Awaited<ReturnType<typeof newTopic>>): Promise<DeadLetterRow> {
  const [deadLetter, ...others] = await deadLetters();
  if (deadLetter === undefined || others.length > 0)
    throw new Error(`${others.length + 1} dead letters instead of one`);
  return deadLetter;
}

/** A running consumer of a topic whose only record was set aside. */
async function newPoison() {
  const topic = await newTopic();
  const cause = createCause();
  const requestId = await topic.send({ value: actionBatch('m1') });
  const { service } = await start(topic.bus, { apply: cause.apply });
  await untilAllIsDone(topic.bus);
  const report = () => readIngestReport(db, topic.applicationId, requestId);
  return {
    ...topic,
    ...cause,
    topic,
    service,
    report,
    deadLetter: () => onlyDeadLetter(topic),
    done: () => untilAllIsDone(topic.bus),
  };
}

describe('a replay', () => {
  test('of a record whose cause is fixed stores it and settles its messages', async () => {
    const { ask, replay, mend, done, deadLetter, report, storedIds } = await newPoison();
    expect(await report()).toMatchObject({
      complete: true,
      messages: [{ outcome: 'dropped', reason: 'dead_letter' }],
    });

    mend();
    await replay(await ask(await deadLetter()));
    await done();

    expect(await storedIds()).toEqual(['m1']);
    expect(await report()).toMatchObject({ complete: true, messages: [{ outcome: 'processed' }] });
    expect(await deadLetter()).toMatchObject({ status: 'replayed', replays: 1 });
  });

  test('has the key, bytes and headers of the record', async () => {
    const { ask, deadLetter } = await newPoison();

    const asked = await ask(await deadLetter());

    expect(asked.key?.toString()).toBe('one partition');
    expect(asked.value.toString()).toBe(actionBatch('m1'));
    expect(asked.headers).toEqual(fromStoredHeaders((await deadLetter()).headers));
    expect(asked.deadLetter).toMatchObject({
      status: 'replaying',
      replays: 0,
      size: Buffer.byteLength(actionBatch('m1')),
    });
  });

  test('that is rejected again returns its dead letter to waiting, three times in a row, and creates no second one', async () => {
    const { ask, replay, done, deadLetter, report, storedIds } = await newPoison();
    const { id } = await deadLetter();

    for (let replays = 1; replays <= 3; replays += 1) {
      await replay(await ask(await deadLetter()));
      await done();
      expect(await deadLetter()).toMatchObject({
        id,
        status: 'waiting',
        replays,
        error_class: 'data',
        sql_state: '22P05',
      });
    }

    expect(await storedIds()).toEqual([]);
    expect(await report()).toMatchObject({
      messages: [{ outcome: 'dropped', reason: 'dead_letter' }],
    });
  });

  test('is applied once per request, however often it is delivered, also by a consumer that starts over', async () => {
    const { bus, ask, replay, mend, applied, apply, service, done, deadLetter, storedIds } =
      await newPoison();
    const asked = await ask(await deadLetter());
    // Rejected once: this request is used up.
    for (let copy = 0; copy < 3; copy += 1) await replay(asked);
    await done();
    expect(await deadLetter()).toMatchObject({ status: 'waiting', replays: 1 });

    mend();
    await replay(asked);
    await done();
    expect(applied()).toBe(0);
    await ask(await deadLetter());
    for (let copy = 0; copy < 3; copy += 1) await replay(asked);
    await done();
    await service.stopIntake?.();
    await start(bus, { apply, group: 'starts over' });
    await untilAllIsDone(bus, 'starts over');

    expect(applied()).toBe(1);
    expect(await storedIds()).toEqual(['m1']);
    expect(await deadLetter()).toMatchObject({ status: 'replayed', replays: 2 });
  });

  test('whose requester died before the record was published can be requested again', async () => {
    const { ask, replay, mend, done, deadLetter, storedIds } = await newPoison();
    mend();

    await ask(await deadLetter());
    await done();
    expect(await deadLetter()).toMatchObject({ status: 'replaying' });
    await replay(await ask(await deadLetter()));
    await done();

    expect(await storedIds()).toEqual(['m1']);
    expect(await deadLetter()).toMatchObject({ status: 'replayed' });
  });

  test.each([
    ['before', false],
    ['after', true],
  ])(
    'is neither lost nor repeated when its consumer dies %s the commit',
    async (_, isCommitted) => {
      const { bus, service, ask, replay, mend, apply, applied, deadLetter, storedIds } =
        await newPoison();
      await service.stopIntake?.();
      mend();
      let deaths = 0;
      const database: Database = {
        ...db,
        async transaction(work) {
          deaths += 1;
          if (deaths > 2) return db.transaction(work);
          if (isCommitted) await db.transaction(work);
          else
            await db
              .transaction(async (sql) => {
                await work(sql);
                throw new Error('killed');
              })
              .catch(() => undefined);
          throw new Error('Connection terminated unexpectedly');
        },
      };

      await replay(await ask(await deadLetter()));
      await start(bus, { apply, database });
      await untilAllIsDone(bus);

      expect(deaths).toBeGreaterThan(2);
      expect(applied()).toBe(isCommitted ? 1 : 3);
      expect(await storedIds()).toEqual(['m1']);
      expect(await deadLetter()).toMatchObject({ status: 'replayed', replays: 1 });
    },
  );

  test('of a dead letter that is discarded, unrequested or unknown is skipped', async () => {
    const { ask, replay, mend, done, applied, applicationId, deadLetter, storedIds } =
      await newPoison();
    const { id } = await deadLetter();
    const asked = await ask(await deadLetter());
    await replay(asked);
    await done();

    mend();
    await discardDeadLetter(db, { applicationId }, id);
    await replay(asked);
    await replay({ ...asked, deadLetter: { ...asked.deadLetter, id: systemIds.uuid() } });
    await done();

    expect(applied()).toBe(0);
    expect(await storedIds()).toEqual([]);
    const { rows } = await db.sql.query(
      'select status, value, record_key, headers from dead_letters where id = $1',
      [id],
    );
    expect(rows).toEqual([{ status: 'discarded', value: null, record_key: null, headers: {} }]);
    expect(await requestReplay(db, { applicationId }, id)).toBe('conflict');
  });

  test('without a dead letter id is an ordinary record', async () => {
    const { send, done, mend, storedIds } = await newPoison();
    mend();

    await send({
      value: actionBatch('m2'),
      headers: { [REPLAY_HEADERS.deadLetterId]: 'x', [REPLAY_HEADERS.consumer]: 'users' },
    });
    await done();

    expect(await storedIds()).toEqual(['m2']);
  });
});

test('each consumer has its own dead letter, and ignores replays for the other', async () => {
  const topic = await newTopic();
  const causes = { users: createCause(), events: createCause() };
  const requestId = await topic.send({
    value: `{"customUserId":"ada","messages":[{"type":"action","id":"m1","time":1,"customName":"v"},{"type":"user","id":"m2","time":1}]}`,
    kinds: ['action', 'user'],
  });
  const settleUsers = async (sql: Sql, records: readonly IngestRecord[]): Promise<void> => {
    if (causes.users.applied() === 0) await causes.users.apply(sql, []);
    await writeReceipts(
      sql,
      records.map((record) => ({
        record,
        receipts: [{ outcome: 'pending' }, { outcome: 'processed' }],
      })),
    );
  };
  await start(topic.bus, { apply: causes.events.apply });
  await start(topic.bus, { consumer: 'users', apply: settleUsers });
  const done = async () => {
    await untilAllIsDone(topic.bus);
    await untilAllIsDone(topic.bus, 'users-consumer');
  };
  await done();
  const outcomes = async () =>
    (await readIngestReport(db, topic.applicationId, requestId))?.messages.map(
      ({ outcome, reason }) => reason ?? outcome,
    );
  const deadLetterOf = async (consumer: string): Promise<DeadLetterRow> => {
    const deadLetter = (await topic.deadLetters()).find(
      (candidate) => candidate.consumer === consumer,
    );
    if (deadLetter === undefined) throw new Error(`no dead letter of ${consumer}`);
    return deadLetter;
  };
  expect(await topic.deadLetters()).toHaveLength(2);
  expect(await outcomes()).toEqual(['dead_letter', 'dead_letter']);
  causes.users.mend();
  causes.events.mend();

  await topic.replay(await topic.ask(await deadLetterOf('users')));
  await done();
  expect(await outcomes()).toEqual(['dead_letter', 'processed']);
  expect(await deadLetterOf('users')).toMatchObject({ status: 'replayed' });
  expect(await deadLetterOf('events')).toMatchObject({ status: 'waiting', replays: 0 });
  await topic.replay(await topic.ask(await deadLetterOf('events')));
  await done();

  expect(await outcomes()).toEqual(['processed', 'processed']);
  expect(await topic.storedIds()).toEqual(['m1']);
  expect(await deadLetterOf('events')).toMatchObject({ status: 'replayed' });
});

describe('an unreadable record', () => {
  test('that stays unreadable keeps its single dead letter', async () => {
    const topic = await newTopic();
    await topic.sendForeign('no JSON at all', {});
    await start(topic.bus);
    await untilAllIsDone(topic.bus);

    await topic.replay(await topic.ask(await onlyDeadLetter(topic)));
    await untilAllIsDone(topic.bus);

    expect(await onlyDeadLetter(topic)).toMatchObject({
      status: 'waiting',
      replays: 1,
      error_class: 'unreadable',
    });
  });

  test('accepted more than a day ahead of the consumer is applied when replayed after that time', async () => {
    const topic = await newTopic();
    const clock = createFakeClock(Date.now());
    const receivedAt = clock.now() + 2 * 86_400_000;
    await topic.send({ value: actionBatch('m1'), headers: { 'received-at': String(receivedAt) } });
    await start(topic.bus, { clock });
    await untilAllIsDone(topic.bus);
    expect(await onlyDeadLetter(topic)).toMatchObject({ error_class: 'unreadable' });

    clock.advance(2 * 86_400_000);
    await topic.replay(await topic.ask(await onlyDeadLetter(topic)));
    await untilAllIsDone(topic.bus);

    expect(await topic.storedIds()).toEqual(['m1']);
    expect(await onlyDeadLetter(topic)).toMatchObject({ status: 'replayed' });
  });
});

test('a record without a partition for its arrival is retried until there is one, and never set aside', async () => {
  const topic = await newTopic();
  await topic.send({ value: actionBatch('m1') });
  let isFirst = true;

  const { lines } = await start(topic.bus, {
    apply: async (sql, records) => {
      if (isFirst) {
        isFirst = false;
        await sql.query('create temp table split (at int) partition by range (at)');
        await sql.query('insert into split values (1)');
      }
      await storeEvents(sql, records);
    },
  });
  await untilAllIsDone(topic.bus);

  expect(await topic.storedIds()).toEqual(['m1']);
  expect(await topic.deadLetters()).toEqual([]);
  await eventually(() =>
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: expect.stringContaining('partition is missing'),
      }),
    ),
  );
  expect(
    (await topic.bus.admin.committedOffsets('events-consumer', TOPICS.ingest)).size,
  ).toBeGreaterThan(0);
});
