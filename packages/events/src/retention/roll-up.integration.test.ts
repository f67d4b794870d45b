import { afterAll, expect, test } from '@jest/globals';
import { createOwnDatabase, createTestApplication } from '@tidings/testing';
import { mergeCounterShards } from './roll-up.ts';

const db = await createOwnDatabase({ poolMax: 4 });
afterAll(() => db.close());
const { applicationId } = await createTestApplication(db);
const past = new Date(Date.now() - 5 * 3_600_000);

/** The rows that two connections would leave. */
async function insertEvents(backend: number, events: number): Promise<void> {
  await db.sql.query(
    `insert into definition_hours (application_id, slug, hour, currency, backend, events, revenue, last_received_at)
     values ($1, 'paid', date_trunc('hour', $2::timestamptz), 'EUR', $3::int, $4, 1.5, $2::timestamptz + $3::int * interval '1 s')`,
    [applicationId, past, backend, events],
  );
}

const rows = async () =>
  (
    await db.sql.query(
      'select backend, events::int, revenue, last_received_at from definition_hours where application_id = $1 order by backend',
      [applicationId],
    )
  ).rows;

test('counters of several connections are merged into one row with the same sums, however often it runs', async () => {
  const mergeShards = (before: Date) =>
    mergeCounterShards(db.sql, 'definition_hours', { before, limit: 10 });
  for (const backend of [1, 2, 3]) await insertEvents(backend, backend);

  expect(await mergeShards(new Date(past.getTime() - 7_200_000))).toBe(0);
  expect(await mergeShards(new Date())).toBe(3);
  await insertEvents(4, 4);
  expect(await mergeShards(new Date())).toBe(1);

  expect(await rows()).toEqual([
    { backend: 0, events: 10, revenue: '6.0', last_received_at: new Date(past.getTime() + 4_000) },
  ]);
});

test('requests and events are counted by the statements that store them; repeated deliveries are not counted', async () => {
  const at = new Date(Date.now() - 60_000);
  const requestId = '01a1fda0-7f01-73ac-9ab1-82b6d3569097';
  const insert = () =>
    db.sql.query(
      `insert into ingest_requests as r (request_id, application_id, received_at, message_count, taken_by_users) values ($1, $2, $3, 7, true)
       on conflict (request_id, received_at) do update set taken_by_users = true where not r.taken_by_users`,
      [requestId, applicationId, at],
    );

  await insert();
  await insert();

  const { rows: minutes } = await db.sql.query(
    'select requests::int, messages::int from ingest_minutes where application_id = $1',
    [applicationId],
  );
  expect(minutes).toEqual([{ requests: 1, messages: 7 }]);
});
