import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { readDefinitionUsage } from '@tidings/events/definitions/usage';
import { recountEvents } from '@tidings/events/retention/recount-events';
import { createOwnDatabase, createTestApplication } from '@tidings/testing';
import { readChart } from './charts.ts';
import { chartHelpers, type Row, DAY_MS } from '../../testing/chart-sums.ts';

jest.setTimeout(60_000);

// Aggregations and recounts process the whole database.
const db = await createOwnDatabase({ poolMax: 6 });
afterAll(() => db.close());
beforeEach(() => db.sql.query('truncate events, event_quarters, definition_hours, event_recounts'));
const { store, counted, recounted, foldAll } = chartHelpers(db);

describe('events stored before counting by event time', () => {
  const HOUR_MS = 3_600_000;
  const arrival = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 10 * HOUR_MS;
  const recountAll = async (limit: number) => {
    let steps = 0;
    while (await recountEvents(db, { limit })) steps += 1;
    return steps;
  };

  /** The state before the upgrade: counted by arrival only. */
  async function storedBefore(applicationId: string, rows: readonly Row[]): Promise<void> {
    await store(applicationId, rows);
    await db.sql.query('delete from event_quarters where application_id = $1', [applicationId]);
    await db.sql.query('update events set is_counted_by_time = false where application_id = $1', [
      applicationId,
    ]);
    await db.sql.query(
      "insert into event_recounts (application_id, before) values ($1, 'infinity')",
      [applicationId],
    );
  }

  test('are counted once, in steps, while others arrive and are aggregated', async () => {
    const { applicationId } = await createTestApplication(db);
    // Events of the same instant are never split.
    await storedBefore(
      applicationId,
      Array.from({ length: 50 }, (_, index) => ({
        slug: `slug${index % 3}`,
        time: arrival - index * HOUR_MS,
        receivedAt: arrival + (index % 7) * HOUR_MS,
        currency: 'EUR',
        revenue: 0.1,
      })),
    );
    const later = (index: number): Row => ({
      slug: 'slug0',
      time: arrival - index * HOUR_MS,
      receivedAt: arrival - index,
    });
    await store(applicationId, [later(1), later(2)]);

    expect(await recountEvents(db, { limit: 10 })).toBe(true);
    await Promise.all([foldAll(Date.now()), store(applicationId, [later(3)])]);
    expect(await recountAll(10)).toBeGreaterThan(2);

    expect(await counted(applicationId)).toEqual(await recounted(applicationId));
    expect(await recountEvents(db, { limit: 10 })).toBe(false);
    expect(await counted(applicationId)).toEqual(await recounted(applicationId));
  });

  test('and deleted since then stay in charts by arrival, marked as such', async () => {
    const { applicationId } = await createTestApplication(db);
    await db.sql.query(
      "insert into definitions (application_id, slug, kind, name, origin) values ($1, 'paid', 'revenue', 'paid', 'auto'), ($1, 'ordered', 'revenue', 'ordered', 'auto')",
      [applicationId],
    );
    const rows = Array.from({ length: 10 }, (_, index): Row => ({
      slug: index % 2 === 0 ? 'paid' : 'ordered',
      time: arrival - 90 * DAY_MS,
      receivedAt: arrival + index * HOUR_MS,
      currency: 'EUR',
      revenue: 1,
    }));
    await storedBefore(applicationId, rows);
    await db.sql.query('delete from events where application_id = $1 and received_at < $2', [
      applicationId,
      new Date(arrival + 4 * HOUR_MS),
    ]);

    await recountAll(3);

    const query = { applicationId, of: 'revenue' } as const;
    expect(
      await readChart(db.sql, {
        ...query,
        starts: [arrival - 91 * DAY_MS, arrival - DAY_MS],
        to: arrival + DAY_MS,
      }),
    ).toMatchObject({
      points: [
        { events: 6, revenue: { EUR: 6 } },
        { events: 4, revenue: { EUR: 4 } },
      ],
      byArrival: 4,
    });
    expect((await readDefinitionUsage(db.sql, applicationId)).get('paid')).toMatchObject({
      events: 5,
    });
  });

  test('are missing in charts until then; charts say from when on all are counted', async () => {
    const { applicationId } = await createTestApplication(db);
    await db.sql.query(
      "insert into definitions (application_id, slug, kind, name, origin) values ($1, 'click', 'action', 'click', 'auto')",
      [applicationId],
    );
    await storedBefore(
      applicationId,
      Array.from({ length: 6 }, (_, index) => ({
        slug: 'click',
        time: arrival + index * HOUR_MS,
        receivedAt: arrival + index * HOUR_MS,
      })),
    );
    const triggerAt = Date.now();
    await db.sql.query('update event_recounts set trigger_at = $2 where application_id = $1', [
      applicationId,
      new Date(triggerAt),
    ]);
    const read = async () => {
      const { points, countedFrom } = await readChart(db.sql, {
        applicationId,
        of: { slug: 'click' },
        starts: [arrival],
        to: arrival + DAY_MS,
      });
      return [points[0]?.events, countedFrom];
    };

    expect(await read()).toEqual([0, triggerAt]);
    await recountEvents(db, { limit: 1 });
    expect(await read()).toEqual([2, arrival + 4 * HOUR_MS]);
    while ((await read())[0] !== 6) expect(await recountEvents(db, { limit: 3 })).toBe(true);
    // Arrival sums of deleted events still have to be migrated.
    expect(await read()).toEqual([6, arrival]);
    await recountAll(3);
    expect(await read()).toEqual([6, null]);
  });

  test('do not exist for an application created later', async () => {
    await createTestApplication(db);

    expect(await recountEvents(db, { limit: 10 })).toBe(false);
  });
});
