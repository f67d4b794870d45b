import { afterAll, describe, expect, test } from '@jest/globals';
import { createDefinition, mergeDefinition } from '@tidings/db';
import { insertEvent } from '../../testing/log-rows.ts';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { db, tenant } = dashboard;
const { applicationId } = tenant;
const get = <T = Record<string, unknown>>(path: string) => dashboard.request<T>('GET', path, { headers: dashboard.asServer });

const HOUR_MS = 3_600_000;
const thisHour = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;
const twoDaysAgo = thisHour - 48 * HOUR_MS;
await createDefinition(db, { applicationId, name: 'unused', kind: 'action' });
await insertEvent(db, applicationId, { slug: 'click', receivedAt: new Date(twoDaysAgo + 5) });
await insertEvent(db, applicationId, { slug: 'click', receivedAt: new Date(thisHour + 1) });
const last = await insertEvent(db, applicationId, { slug: 'clack', receivedAt: new Date(thisHour + 2) });
await mergeDefinition(db, { applicationId, slug: 'clack', into: 'click' });
const earn = async (revenue: number, currency: string): Promise<void> => {
  await insertEvent(db, applicationId, { slug: 'paid', kind: 'revenue', receivedAt: new Date(thisHour) });
  await db.sql.query(
    `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at, revenue, currency)
     values (uuidv7(), 0, $1, uuidv7()::text, 'revenue', 'paid', 1, $2, $3, $4)`,
    [applicationId, new Date(thisHour + 3), revenue, currency],
  );
};
await earn(22, 'EUR');
await earn(-2.5, 'EUR');
await earn(100, 'JPY');

describe('GET definitions', () => {
  test('counts the events of each, with those of what was merged into it, and says when the last one came', async () => {
    const { items } = (await get<{ items: Record<string, unknown>[] }>('definitions')).body;

    expect(items.find(({ slug }) => slug === 'click')).toMatchObject({ events: 3, eventsLastDay: 2, lastReceivedAt: thisHour + 2 });
    expect(items.find(({ name }) => name === 'unused')).toMatchObject({ events: 0, eventsLastDay: 0, lastReceivedAt: null });
  });
});

describe('GET definitions/{slug}', () => {
  test('has the newest events', async () => {
    const { body } = await get<{ samples: { id: string }[] }>('definitions/click');

    expect(body.samples).toHaveLength(3);
    expect(body.samples[0]).toMatchObject({ id: last, slug: 'click' });
  });

  test('404 for a slug that there is not', async () => {
    expect((await get('definitions/nothing')).status).toBe(404);
    expect((await get('definitions/nothing/chart')).status).toBe(404);
  });
});

describe('GET definitions/{slug}/chart', () => {
  test('has the events of each hour, or day', async () => {
    expect((await get('definitions/click/chart')).body).toEqual({ items: [{ at: twoDaysAgo, events: 1, revenue: {} }, { at: thisHour, events: 2, revenue: {} }] });
    expect((await get<{ items: unknown[] }>('definitions/click/chart?step=day')).body.items).toHaveLength(2);
    expect((await get<{ items: unknown[] }>(`definitions/click/chart?from=${twoDaysAgo}&to=${thisHour}`)).body.items).toHaveLength(1);
  });

  test('400 for more points than anybody looks at', async () => {
    expect((await get('definitions/click/chart?from=0')).status).toBe(400);
  });
});

describe('GET revenue', () => {
  test('never mixes currencies', async () => {
    expect((await get('revenue')).body).toEqual({
      currencies: [
        { currency: 'EUR', events: 2, revenue: 19.5 },
        { currency: 'JPY', events: 1, revenue: 100 },
      ],
      items: [{ at: thisHour, revenue: { EUR: 19.5, JPY: 100 } }],
    });
  });
});
