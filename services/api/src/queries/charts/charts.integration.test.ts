import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { readDefinitionUsage } from '@tidings/events/definitions/usage';
import { rollUpChart } from '@tidings/events/retention/roll-up';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase, createTestApplication, randomFrom } from '@tidings/testing';
import { readChart, readRevenue } from './charts.ts';
import { chartHelpers, QUARTER_MS, LONG_MAX, type Row, DAY_MS } from '../../testing/chart-sums.ts';

jest.setTimeout(60_000);

// Aggregations and recounts process the whole database.
const db = await createOwnDatabase({ poolMax: 6 });
afterAll(() => db.close());
beforeEach(() => db.sql.query('truncate events, event_quarters, definition_hours, event_recounts'));
const { store, counted, recounted, foldAll } = chartHelpers(db);

test('sums by quarter hour always match a recount of the events: with several connections, redelivery and aggregation in between', async () => {
  const { applicationId } = await createTestApplication(db);
  const random = randomFrom(4);
  const pick = (below: number) => Math.floor(random() * below);
  const now = Date.now();
  const times = [
    () => now - pick(3 * DAY_MS),
    () => now - pick(400 * DAY_MS),
    () => now + pick(2 * DAY_MS),
    () => now - 401 * DAY_MS,
    () => LONG_MAX,
    () => -LONG_MAX - 1n,
    () => pick(9),
  ];
  const batch = () =>
    Array.from({ length: 1 + pick(40) }, (): Row => {
      const currency = [undefined, undefined, 'EUR', 'JPY'][pick(4)];
      return {
        slug: `slug${pick(3)}`,
        time: times[pick(times.length)]?.() ?? 0,
        receivedAt: now - pick(5_000),
        requestId: systemIds.uuid(),
        ...(currency !== undefined && { currency, revenue: pick(10_000) / 100 }),
      };
    });

  for (let round = 0; round < 6; round += 1) {
    const batches = Array.from({ length: 4 }, batch);
    await Promise.all(
      [...batches, ...batches.slice(0, 2)]
        .map((rows) => store(applicationId, rows))
        .concat(foldAll(now)),
    );
    expect(await counted(applicationId)).toEqual(await recounted(applicationId));
  }

  await foldAll(now + 3 * DAY_MS);
  const { rows } = await db.sql.query<{ backend: number; n: number; keys: number }>(
    'select max(backend) as backend, count(*)::int as n, count(distinct (slug, quarter, currency))::int as keys from event_quarters',
  );
  expect(rows[0]).toMatchObject({ backend: 0, n: rows[0]?.keys });
  expect(await counted(applicationId)).toEqual(await recounted(applicationId));
});

test.each([
  ['400 days before the arrival', (at: number) => at - 400 * DAY_MS, true],
  ['a millisecond earlier', (at: number) => at - 400 * DAY_MS - 1, false],
  ['a day after the arrival', (at: number) => at + DAY_MS, true],
  ['a millisecond later', (at: number) => at + DAY_MS + 1, false],
  ['seconds instead of milliseconds', (at: number) => Math.floor(at / 1_000), false],
  ['the largest integer', () => LONG_MAX, false],
])('an event of %s is in a point or counted as outside', async (_name, timeOf, isPlaced) => {
  const { applicationId } = await createTestApplication(db);
  const receivedAt = Date.now();
  const time = timeOf(receivedAt);
  await store(applicationId, [{ slug: 'click', time, receivedAt }]);

  expect((await counted(applicationId)).map(({ quarter }) => quarter)).toEqual([
    isPlaced ? Math.floor(Number(time) / QUARTER_MS) * QUARTER_MS : 'outside',
  ]);
});

describe('a chart', () => {
  /** A day in Kathmandu begins at 18:15 UTC. */
  const day = (n: number) => Date.parse('2026-11-01T18:15Z') + n * DAY_MS;
  const starts = [day(0), day(1), day(2)];

  test('has each event on the day of its event time, revenue by currency, and the number outside', async () => {
    const { applicationId } = await createTestApplication(db);
    await db.sql.query(
      "insert into definitions (application_id, slug, kind, name, origin, merged_into) values ($1, 'paid', 'revenue', 'paid', 'auto', null), ($1, 'bought', 'revenue', 'bought', 'auto', 'paid')",
      [applicationId],
    );
    const receivedAt = day(3);
    const paid = (time: number, revenue: number, currency: string, slug = 'paid'): Row => ({
      slug,
      time,
      receivedAt,
      revenue,
      currency,
    });
    await store(applicationId, [
      paid(day(1) - 1, 0.1, 'EUR'),
      paid(day(1), 0.1, 'EUR'),
      paid(day(1) + 1, 0.2, 'EUR', 'bought'),
      paid(day(1), 500, 'JPY'),
      paid(day(0) - 1, 9, 'EUR'),
      paid(1, 9, 'EUR'),
    ]);
    const query = { applicationId, starts, to: day(3) };
    const expected = [
      { at: day(0), events: 1, revenue: { EUR: 0.1 } },
      { at: day(1), events: 3, revenue: { EUR: 0.3, JPY: 500 } },
      { at: day(2), events: 0, revenue: {} },
    ];

    expect(await readChart(db.sql, { ...query, of: { slug: 'paid' } })).toEqual({
      points: expected,
      outside: 1,
      byArrival: 0,
      countedFrom: null,
    });
    expect(await readChart(db.sql, { ...query, of: 'revenue' })).toEqual({
      points: expected,
      outside: 1,
      byArrival: 0,
      countedFrom: null,
    });
    expect(await readChart(db.sql, query)).toEqual({
      points: expected,
      outside: 1,
      byArrival: 0,
      countedFrom: null,
    });
    expect(
      (await readChart(db.sql, { ...query, of: { slug: 'bought' } })).points.map(
        ({ events }) => events,
      ),
    ).toEqual([0, 1, 0]);
    expect(await readRevenue(db.sql, query)).toEqual([
      { currency: 'EUR', events: 3, revenue: 0.4 },
      { currency: 'JPY', events: 1, revenue: 500 },
    ]);
  });

  test('has no spike after an import: events count by event time', async () => {
    const { applicationId } = await createTestApplication(db);
    await db.sql.query(
      "insert into definitions (application_id, slug, kind, name, origin) values ($1, 'click', 'action', 'click', 'auto')",
      [applicationId],
    );
    const now = Date.now();
    await store(
      applicationId,
      Array.from({ length: 30 }, (_, index) => ({
        slug: 'click',
        time: now - index * DAY_MS,
        receivedAt: now,
      })),
    );
    const days = Array.from(
      { length: 30 },
      (_, index) => now - (now % QUARTER_MS) - (29 - index) * DAY_MS,
    );

    const { points } = await readChart(db.sql, {
      applicationId,
      of: { slug: 'click' },
      starts: days,
      to: now + 1,
    });

    expect(points.map(({ events }) => events)).toEqual(days.map(() => 1));
    expect((await readDefinitionUsage(db.sql, applicationId)).get('click')).toEqual({
      events: 30,
      eventsLastDay: 1,
      lastReceivedAt: now,
    });
  });

  test('keeps one sum per definition and currency after retention', async () => {
    const { applicationId } = await createTestApplication(db);
    await store(
      applicationId,
      Array.from({ length: 20 }, (_, index) => ({
        slug: 'paid',
        time: day(index),
        receivedAt: day(20),
        revenue: 0.1,
        currency: 'EUR',
      })),
    );
    await foldAll(day(30));

    while (
      (await db.transaction((sql) =>
        rollUpChart(sql, 'event_quarters', { before: new Date(day(15)), limit: 4 }),
      )) > 0
    );

    const { rows } = await db.sql.query(
      'select quarter::text, events::int, revenue::text from event_quarters where quarter < $1',
      [new Date(day(15))],
    );
    expect(rows).toEqual([{ quarter: '-infinity', events: 15, revenue: '1.5' }]);
    expect((await counted(applicationId)).length).toBe(6);
  });
});
