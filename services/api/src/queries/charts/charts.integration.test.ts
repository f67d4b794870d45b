import { afterAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { readDefinitionUsage } from '@tidings/events/definitions/usage';
import { rollUpChart, mergeCounterShards } from '@tidings/events/retention/roll-up';
import { recountEvents } from '@tidings/events/retention/recount-events';
import { systemIds } from '@tidings/platform';
import { createOwnDatabase, createTestApplication, randomFrom } from '@tidings/testing';
import { readChart, readRevenue } from './charts.ts';

jest.setTimeout(60_000);

// Aggregations and recounts process the whole database.
const db = await createOwnDatabase({ poolMax: 6 });
afterAll(() => db.close());
beforeEach(() => db.sql.query('truncate events, event_quarters, definition_hours, event_recounts'));

const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const QUARTER_MS = 15 * MINUTE_MS;
const LONG_MAX = 9_223_372_036_854_775_807n;

type Row = {
  readonly slug: string;
  readonly time: number | bigint;
  readonly receivedAt: number;
  readonly revenue?: number;
  readonly currency?: string;
  readonly requestId?: string;
};

/** In one statement, as every consumer version stores them. */
async function store(applicationId: string, rows: readonly Row[]): Promise<void> {
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at, revenue, currency)
     select request_id, 0, $1, 'm', 'action', slug, time, to_timestamp(received_at / 1000.0), revenue, currency
     from unnest($2::uuid[], $3::text[], $4::bigint[], $5::float8[], $6::float8[], $7::text[]) as x(request_id, slug, time, received_at, revenue, currency)
     on conflict (request_id, message_index, received_at) do nothing`,
    [
      applicationId,
      rows.map(({ requestId }) => requestId ?? systemIds.uuid()),
      rows.map(({ slug }) => slug),
      rows.map(({ time }) => String(time)),
      rows.map(({ receivedAt }) => receivedAt),
      rows.map(({ revenue }) => revenue ?? null),
      rows.map(({ currency }) => currency ?? null),
    ],
  );
}

type Sum = {
  readonly slug: string;
  readonly quarter: number | 'outside';
  readonly currency: string;
  readonly events: number;
  readonly cents: number;
};
const keyOf = ({ slug, quarter, currency }: Sum) => `${slug} ${quarter} ${currency}`;
const sorted = (sums: readonly Sum[]) => sums.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** The sums of the tables, over all backends. */
async function counted(applicationId: string): Promise<Sum[]> {
  const { rows } = await db.sql.query<{
    slug: string;
    ms: number | null;
    currency: string;
    events: number;
    cents: number;
  }>(
    `select slug, case when quarter < 'infinity' then extract(epoch from quarter)::float8 * 1000 end as ms, currency, sum(events)::int as events, (sum(revenue) * 100)::int as cents
     from event_quarters where application_id = $1 group by slug, quarter, currency`,
    [applicationId],
  );
  return sorted(rows.map(({ ms, ...row }) => ({ ...row, quarter: ms ?? 'outside' })));
}

/** The same sums computed from the events, without database functions. */
async function recounted(applicationId: string): Promise<Sum[]> {
  const { rows } = await db.sql.query<{
    slug: string;
    time: string;
    received_at: Date;
    currency: string | null;
    revenue: number | null;
  }>(
    'select slug, time::text, received_at, currency, revenue from events where application_id = $1',
    [applicationId],
  );
  const sums = rows.map((row): Sum => {
    const [time, arrival] = [Number(row.time), row.received_at.getTime()];
    const isPlaced = time >= arrival - 400 * DAY_MS && time <= arrival + DAY_MS;
    return {
      slug: row.slug,
      quarter: isPlaced ? Math.floor(time / QUARTER_MS) * QUARTER_MS : 'outside',
      currency: row.currency ?? '',
      events: 1,
      cents: Math.round((row.revenue ?? 0) * 100),
    };
  });
  const byKey = Map.groupBy(sums, keyOf).values();
  return sorted(
    [...byKey].map((own) => ({
      ...(own[0] as Sum),
      events: own.length,
      cents: own.reduce((sum, { cents }) => sum + cents, 0),
    })),
  );
}

const foldAll = async (before: number): Promise<void> => {
  while (
    (await db.transaction((sql) =>
      mergeCounterShards(sql, 'event_quarters', { before: new Date(before), limit: 60 }),
    )) > 0
  );
};

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
