import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createOwnDatabase } from '@tidings/testing';
import { makePartitions } from './partitions.ts';
import { recountEvents } from './recount-events.ts';

const UPGRADE_TIMEOUT_MS = 30_000;
const DAY_MS = 86_400_000;
let db: Database;

/**
 * After an upgrade from a version that did not count events by time. From the trigger on, consumers
 * count.
 */
const TRIGGER = `create trigger count_events_by_time after insert on events referencing new table as added
  for each statement execute function count_events_by_time()`;

beforeAll(async () => {
  db = await createOwnDatabase({ poolMax: 4 });
  await db.sql.query(
    `alter table events alter column is_counted_by_time set default false;
     drop trigger count_events_by_time on events`,
  );
}, UPGRADE_TIMEOUT_MS);
afterAll(() => db.close());

const now = Date.now();

/**
 * Inserts like the previous version, which has no column `is_counted_by_time`: one event per day,
 * back from now.
 */
const storeAsBefore = (applicationId: string, count: number) =>
  db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes, revenue, currency)
     select gen_random_uuid(), 0, $1, null, n::text, 'revenue', 'paid', $2::bigint - n * ${DAY_MS}::bigint, to_timestamp($2::float8 / 1000.0), null, 0.1, 'EUR' from generate_series(0, $3::int - 1) as n`,
    [applicationId, now, count],
  );
const days = async (applicationId: string) =>
  (
    await db.sql.query<{ ms: number; events: number; revenue: string }>(
      `select extract(epoch from quarter)::float8 * 1000 as ms, sum(events)::int as events, sum(revenue)::text as revenue from event_quarters where application_id = $1 group by quarter order by quarter desc`,
      [applicationId],
    )
  ).rows;
const expected = (counts: readonly number[]) =>
  counts.map((events, day) => ({
    ms: Math.floor((now - day * DAY_MS) / 900_000) * 900_000,
    events,
    revenue: (events / 10).toFixed(1),
  }));

test(
  'an upgrade counts each event once: old ones in the background, those of consumers of both versions at once',
  async () => {
    const applicationId = systemIds.uuid();
    await db.sql.query("insert into applications (id, name) values ($1, 'sells')", [applicationId]);
    await storeAsBefore(applicationId, 5);

    await db.sql.query(
      `alter table events alter column is_counted_by_time set default true; ${TRIGGER};
       insert into event_recounts (application_id, before) select id, 'infinity' from applications`,
    );

    await storeAsBefore(applicationId, 3);
    expect(await days(applicationId)).toEqual(expected([1, 1, 1]));
    await makePartitions(db, new Date(now + 200 * DAY_MS));
    while (await recountEvents(db, { limit: 2 })) await storeAsBefore(applicationId, 1);
    await storeAsBefore(applicationId, 1);
    const { rows } = await db.sql.query<{ n: number }>(
      'select count(*)::int as n from events where application_id = $1',
      [applicationId],
    );
    const stored = Number(rows[0]?.n);
    expect(await days(applicationId)).toEqual(expected([2 + (stored - 8), 2, 2, 1, 1]));
    expect(
      (
        await db.sql.query<{ n: number }>(
          'select sum(events)::int as n from definition_hours where application_id = $1',
          [applicationId],
        )
      ).rows[0]?.n,
    ).toBe(stored);
  },
  UPGRADE_TIMEOUT_MS,
);
