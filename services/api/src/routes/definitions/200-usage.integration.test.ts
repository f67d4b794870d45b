import { afterAll, describe, expect, test } from '@jest/globals';
import { mergeDefinition } from '@tidings/events/definitions/change-definitions';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { insertEvent } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant } = api;
const { applicationId } = tenant;
const get = <T = Record<string, unknown>>(path: string) =>
  api.request<T>('GET', path, { headers: api.asServer });

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const now = Date.now();
const thisHour = Math.floor(now / HOUR_MS) * HOUR_MS;
const twoDaysAgo = thisHour - 48 * HOUR_MS;
const thisQuarter = Math.floor(now / 900_000) * 900_000;
await createDefinition(db, { applicationId, name: 'unused', kind: 'action' });
// All arrived now, as from a device after being offline.
await insertEvent(db, applicationId, {
  slug: 'click',
  time: twoDaysAgo + 5,
  receivedAt: new Date(now - 3),
});
await insertEvent(db, applicationId, {
  slug: 'click',
  time: thisQuarter + 1,
  receivedAt: new Date(now - 2),
});
await insertEvent(db, applicationId, { slug: 'click', time: 1, receivedAt: new Date(now - 2) });
const last = await insertEvent(db, applicationId, {
  slug: 'clack',
  time: thisQuarter,
  receivedAt: new Date(now - 1),
});
await mergeDefinition(db, { applicationId, slug: 'clack', into: 'click' });
const earn = async (revenue: number, currency: string): Promise<void> => {
  await insertEvent(db, applicationId, { slug: 'paid', kind: 'revenue', time: thisQuarter });
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at, revenue, currency)
     values (uuidv7(), 0, $1, uuidv7()::text, 'revenue', 'paid', $5, $2, $3, $4)`,
    [applicationId, new Date(now), revenue, currency, thisQuarter],
  );
};
await earn(22, 'EUR');
await earn(-2.5, 'EUR');
await earn(100, 'JPY');

describe('GET definitions', () => {
  test('returns event counts with merged definitions, counts of the last day by event time, and the last arrival', async () => {
    const { items } = (await get<{ items: Record<string, unknown>[] }>('definitions')).body;

    expect(items.find(({ slug }) => slug === 'click')).toMatchObject({
      events: 4,
      eventsLastDay: 2,
      lastReceivedAt: now - 1,
    });
    expect(items.find(({ name }) => name === 'unused')).toMatchObject({
      events: 0,
      eventsLastDay: 0,
      lastReceivedAt: null,
    });
  });
});

describe('GET definitions/{slug}', () => {
  test('has the newest events', async () => {
    const { body } = await get<{ samples: { id: string }[] }>('definitions/click');

    expect(body.samples).toHaveLength(3);
    expect(body.samples[0]).toMatchObject({ id: last, slug: 'click' });
  });

  test('404 for an unknown slug', async () => {
    expect((await get('definitions/nothing')).status).toBe(404);
    expect((await get('definitions/nothing/chart')).status).toBe(404);
  });
});

type Point = {
  readonly at: number;
  readonly events: number;
  readonly revenue: Readonly<Record<string, number>>;
};
type Chart = {
  readonly timeZone: string;
  readonly items: readonly Point[];
  readonly outside: number;
  readonly byArrival: number;
};
const setTimeZone = (timeZone: string | null) =>
  api.request('PATCH', `applications/${applicationId}`, {
    headers: api.asAdmin,
    body: { settings: { timeZone } },
  });
const withEvents = ({ items }: Chart) => items.filter(({ events }) => events > 0);

describe('GET definitions/{slug}/chart', () => {
  test('has the events per hour or day by event time, and the number outside', async () => {
    const { body } = await get<Chart>('definitions/click/chart');

    expect(body).toMatchObject({ timeZone: 'UTC', outside: 1, byArrival: 0, countedFrom: null });
    expect(withEvents(body)).toEqual([
      { at: twoDaysAgo, events: 1, revenue: {} },
      { at: thisHour, events: 2, revenue: {} },
    ]);
    expect(
      body.items.slice(1).every(({ at }, index) => at - Number(body.items[index]?.at) === HOUR_MS),
    ).toBe(true);
    expect(withEvents((await get<Chart>('definitions/click/chart?step=day')).body)).toHaveLength(2);
    expect(
      withEvents(
        (await get<Chart>(`definitions/click/chart?from=${twoDaysAgo}&to=${thisQuarter}`)).body,
      ),
    ).toHaveLength(1);
  });

  test.each([
    ['Asia/Kathmandu', 5.75],
    ['Asia/Kolkata', 5.5],
    ['UTC', 0],
  ])('has the hours and days of the application’s time zone %s', async (timeZone, hoursAhead) => {
    await setTimeZone(timeZone);
    try {
      const [days, hours] = [
        (await get<Chart>('definitions/click/chart?step=day')).body,
        (await get<Chart>('definitions/click/chart')).body,
      ];

      expect([days.timeZone, hours.timeZone]).toEqual([timeZone, timeZone]);
      const localOf = (at: number) => at + hoursAhead * HOUR_MS;
      expect(new Set(days.items.map(({ at }) => localOf(at) % DAY_MS))).toEqual(new Set([0]));
      expect(new Set(hours.items.map(({ at }) => localOf(at) % HOUR_MS))).toEqual(new Set([0]));
      for (const chart of [days, hours])
        expect(withEvents(chart).map(({ events }) => events)).toEqual([1, 2]);
    } finally {
      await setTimeZone(null);
    }
  });

  test('has days of 23 and 25 hours at clock changes', async () => {
    await setTimeZone('Europe/Berlin');
    try {
      const [from, to] = [Date.parse('2026-10-24T12:00Z'), Date.parse('2026-10-26T12:00Z')];
      const event = (time: string) =>
        insertEvent(db, applicationId, {
          slug: 'night',
          time: Date.parse(time),
          receivedAt: new Date(now),
        });
      for (const time of [
        '2026-10-24T21:59Z',
        '2026-10-24T22:00Z',
        '2026-10-25T00:30Z',
        '2026-10-25T01:30Z',
        '2026-10-25T22:59Z',
        '2026-10-25T23:00Z',
      ])
        await event(time);

      const { body } = await get<Chart>(`definitions/night/chart?step=day&from=${from}&to=${to}`);

      expect(body.items.map(({ at, events }) => [new Date(at).toISOString(), events])).toEqual([
        ['2026-10-23T22:00:00.000Z', 1],
        ['2026-10-24T22:00:00.000Z', 4],
        ['2026-10-25T23:00:00.000Z', 1],
      ]);
      const { body: hours } = await get<Chart>(
        `definitions/night/chart?from=${Date.parse('2026-10-25T00:00Z')}&to=${Date.parse('2026-10-25T02:00Z')}`,
      );
      expect(hours.items.map(({ events }) => events)).toEqual([1, 1]);
    } finally {
      await setTimeZone(null);
    }
  });

  test('400 for too many points', async () => {
    expect((await get('definitions/click/chart?from=0')).status).toBe(400);
  });
});

describe('GET revenue', () => {
  test('never mixes currencies', async () => {
    const { body } = await get<Chart & { readonly currencies: unknown }>('revenue');

    expect(body).toMatchObject({
      timeZone: 'UTC',
      outside: 0,
      currencies: [
        { currency: 'EUR', events: 2, revenue: 19.5 },
        { currency: 'JPY', events: 1, revenue: 100 },
      ],
    });
    expect(body.items.filter(({ revenue }) => Object.keys(revenue).length > 0)).toEqual([
      { at: thisHour, revenue: { EUR: 19.5, JPY: 100 } },
    ]);
  });

  test.each([
    ['Asia/Kolkata', 'hour', 24, '2026-06-02T10:40Z'],
    ['Asia/Kolkata', 'hour', 24, '2026-06-02T11:10Z'],
    ['Asia/Kathmandu', 'hour', 24, '2026-06-02T10:40Z'],
    ['Europe/Berlin', 'day', 30, '2026-11-10T22:30Z'],
  ])('sums up exactly the shown points: in %s the last %s', async (timeZone, step, points, at) => {
    const [to, stepMs] = [Date.parse(at), step === 'hour' ? HOUR_MS : DAY_MS];
    await using own = await startTestApi();
    const applicationOfOwn = own.tenant.applicationId;
    await own.request('PATCH', `applications/${applicationOfOwn}`, {
      headers: own.asAdmin,
      body: { settings: { timeZone } },
    });
    // One event per quarter of an hour, from well before the first point.
    await own.db.sql.query(
      `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at, revenue, currency)
       select uuidv7(), 0, $1, uuidv7()::text, 'revenue', 'paid', t, now(), 1, 'EUR' from generate_series($2::bigint, $3::bigint - 1, 900000) as t`,
      [applicationOfOwn, to - (points + 3) * stepMs, to],
    );

    const path = `revenue?step=${step}&points=${points}&to=${to}`;
    const { body } = await own.request<
      Chart & {
        readonly currencies: readonly { readonly revenue: number; readonly events: number }[];
      }
    >('GET', path, { headers: own.asServer });

    const shown = body.items.reduce((sum, { revenue }) => sum + (revenue['EUR'] ?? 0), 0);
    expect(body.items).toHaveLength(points);
    expect(shown).toBe(Math.floor((to - Number(body.items[0]?.at)) / 900_000));
    expect(body.currencies).toEqual([{ currency: 'EUR', events: shown, revenue: shown }]);
  });
});
