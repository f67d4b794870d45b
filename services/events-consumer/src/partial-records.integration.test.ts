import { afterAll, expect, test } from '@jest/globals';
import { readIngestReport } from '@tidings/events/ingest-log/ingest-report';
import { systemIds } from '@tidings/platform';
import {
  actionMessage,
  applyRecords,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  userMessage,
  type RecordApplier,
} from '@tidings/testing';
import { applyUserMessages } from '@tidings/users-consumer/apply-user-messages';
import { applyEventMessages } from './apply-event-messages.ts';

const USERS: RecordApplier = { consumer: 'users', apply: applyUserMessages };
const EVENTS: RecordApplier = { consumer: 'events', apply: applyEventMessages };

const db = connectTestDatabase();
afterAll(() => db.close());

/** The rest of a request with five messages, of which the first, third and fourth were rejected. */
async function partialRecord(id = systemIds.uuid()) {
  const { applicationId } = await createTestApplication(db);
  const messages = [actionMessage({ id }), userMessage({ id: `${id}-user` })];
  return ingestRecord({ applicationId, customUserId: 'ada', messages, messageIndexes: [1, 4] });
}

test('receipts of a partially accepted request have the indexes of the request, and it completes', async () => {
  const record = await partialRecord();

  await applyRecords(db, EVENTS, [record]);
  const between = await readIngestReport(db, record.applicationId, record.requestId);
  await applyRecords(db, USERS, [record]);

  expect(between).toMatchObject({
    complete: false,
    messages: [{ index: 1 }, { index: 4, outcome: 'pending' }],
  });
  expect(await readIngestReport(db, record.applicationId, record.requestId)).toMatchObject({
    complete: true,
    messages: [
      { index: 1, type: 'action', outcome: 'processed' },
      { index: 4, type: 'user', outcome: 'processed' },
    ],
  });
});

test('so do its events and keys, and a redelivery changes nothing', async () => {
  const record = await partialRecord();
  const rows = async (table: 'events' | 'duplicate_keys') =>
    (
      await db.sql.query<{ message_index: number }>(
        `select message_index from ${table} where request_id = $1 order by 1`,
        [record.requestId],
      )
    ).rows;

  await applyRecords(db, EVENTS, [record]);
  await applyRecords(db, USERS, [record]);
  await applyRecords(db, EVENTS, [record]);

  expect(await rows('events')).toEqual([{ message_index: 1 }]);
  expect(await rows('duplicate_keys')).toEqual([{ message_index: 1 }, { message_index: 4 }]);
});

test('the id of a rejected message is free for the next message with that id', async () => {
  const record = await partialRecord('only-once');
  const again = ingestRecord({
    applicationId: record.applicationId,
    customUserId: 'ada',
    messages: [actionMessage({ id: 'rejected' }), actionMessage({ id: 'only-once' })],
  });

  await applyRecords(db, EVENTS, [record]);
  await applyRecords(db, EVENTS, [again]);

  expect(
    (await readIngestReport(db, again.applicationId, again.requestId))?.messages,
  ).toMatchObject([
    { index: 0, id: 'rejected', outcome: 'held' },
    { index: 1, id: 'only-once', outcome: 'duplicate', reason: 'duplicate_id' },
  ]);
});
