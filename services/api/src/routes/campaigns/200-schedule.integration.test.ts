import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PushAccepted } from '@tidings/contracts/push/campaigns';
import { localTimeBounds, localTimeMs } from '@tidings/contracts/push/push-schedule';
import { configureChannel, registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer: headers } = api;
const { applicationId } = tenant;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const push = { recipients: ['ada'], channel: 'EMAIL', message: { title: 'Hi', body: 'Hi' } };

const post = (fields: object, more: Record<string, string> = {}) =>
  api.request<PushAccepted>('POST', 'campaigns', {
    headers: { ...headers, ...more },
    body: { ...push, ...fields },
  });
const read = async (campaignId: string) =>
  (await api.request('GET', `campaigns/${campaignId}`, { headers })).body;
const patch = (campaignId: string, body: unknown) =>
  api.request('PATCH', `campaigns/${campaignId}`, { headers: api.asAdmin, body });
const idsIn = async (status: string): Promise<string[]> =>
  (
    await api.request<{ items: { campaignId: string }[] }>(
      'GET',
      `campaigns?status=${status}&limit=500`,
      { headers },
    )
  ).body.items.map(({ campaignId }) => campaignId);
async function expiryOf(campaignId: string): Promise<number> {
  const { rows } = await db.sql.query<{ at: Date }>(
    'select expires_at as at from campaigns where id = $1',
    [campaignId],
  );
  return rows[0]?.at.getTime() ?? 0;
}
/** A local time that far from now, to the minute, as if now were UTC. */
const localIn = (ms: number): string => new Date(Date.now() + ms).toISOString().slice(0, 16);

beforeAll(async () => {
  await registerUsers(db, applicationId, { ada: { email: 'ada@example.org', country: 'DE' } });
  await configureChannel(db, applicationId, 'EMAIL');
});

describe('a campaign that is held', () => {
  const hold = (seconds: number, fields: object) =>
    api.request<PushAccepted>('POST', `campaigns?holdSeconds=${seconds}`, {
      headers,
      body: { ...push, ...fields },
    });

  test('begins that much later, and can be taken back until then', async () => {
    const before = Date.now();

    const { status, body } = await hold(10, {});

    expect([status, body]).toMatchObject([200, { status: 'scheduled' }]);
    expect(body.sendAt).toBeGreaterThan(before + 5_000);
    expect(body.sendAt).toBeLessThan(Date.now() + 15_000);
    expect(api.announced).not.toContain(body.campaignId);
    const taken = await api.request('POST', `campaigns/${body.campaignId}/cancel`, { headers });
    expect(taken).toMatchObject({ status: 200, body: { status: 'canceled' } });
  });

  test('keeps a time of its own', async () => {
    const sendAt = Date.now() + DAY_MS;

    expect((await hold(10, { sendAt })).body.sendAt).toBe(sendAt);
  });

  test.each([0, 61])('is not for %i seconds', async (seconds) => {
    expect((await hold(seconds, {})).status).toBe(400);
  });
});

describe('a campaign for later', () => {
  test('is scheduled and not queued; its messages live from its time on', async () => {
    const sendAt = Date.now() + DAY_MS;

    const { status, body } = await post({ sendAt });

    expect([status, body]).toMatchObject([200, { status: 'scheduled', sendAt, warnings: [] }]);
    expect(api.announced).not.toContain(body.campaignId);
    expect(await read(body.campaignId)).toMatchObject({
      status: 'scheduled',
      schedule: { sendAt, sendAtLocal: null, localTimePassed: 0 },
      recipients: { requested: 1, unique: 1 },
      counts: { total: 1, pending: 1 },
    });
    expect(await expiryOf(body.campaignId)).toBe(sendAt + 72 * HOUR_MS);
    expect(await idsIn('scheduled')).toContain(body.campaignId);
    expect(await idsIn('queued')).not.toContain(body.campaignId);
  });

  test('may be one to a segment', async () => {
    const sendAt = Date.now() + DAY_MS;

    const { body } = await post({
      recipients: undefined,
      segment: { condition: { field: 'country', is: 'DE' } },
      sendAt,
    });

    expect(body).toMatchObject({
      status: 'scheduled',
      recipients: { segment: null, estimated: 1 },
    });
    expect(await read(body.campaignId)).toMatchObject({
      status: 'scheduled',
      audience: { snapshotAt: null },
    });
  });

  test('with a local time begins in the first zone, and lives from the last', async () => {
    const sendAtLocal = localIn(3 * DAY_MS);
    const { first, last } = localTimeBounds(localTimeMs(sendAtLocal) ?? 0);

    const { body } = await post({ sendAtLocal });

    expect(body).toMatchObject({ status: 'scheduled', sendAt: first, warnings: [] });
    expect(await read(body.campaignId)).toMatchObject({ schedule: { sendAt: first, sendAtLocal } });
    expect(await expiryOf(body.campaignId)).toBe(last + 72 * HOUR_MS);
  });

  test.each([
    ['has passed in the first zone', 0, 'queued'],
    ['passes there within 15 minutes', 14 * HOUR_MS + 10 * MINUTE_MS, 'scheduled'],
  ])('with a local time that %s has a warning', async (_when, ms, status) => {
    const { body } = await post({ sendAtLocal: localIn(ms) });

    expect(body).toMatchObject({
      status,
      warnings: [{ code: 'local_time_passed', pointer: '/sendAtLocal' }],
    });
  });

  test.each([
    ['recipients', {}],
    [
      'the users of a segment',
      { recipients: undefined, segment: { condition: { field: 'country', is: 'DE' } } },
    ],
  ])(
    'with a local time that has passed has the warning in a dry run to %s too',
    async (_to, to) => {
      const { body } = await post({ ...to, sendAtLocal: localIn(0), dryRun: true });

      expect(body).toMatchObject({
        dryRun: true,
        warnings: [{ code: 'local_time_passed', pointer: '/sendAtLocal' }],
      });
    },
  );

  test.each([
    ['four minutes ago', -4 * MINUTE_MS],
    ['this moment', 0],
  ])('of %s is queued at once', async (_when, ms) => {
    const { body } = await post({ sendAt: Date.now() + ms });

    expect(body).toMatchObject({ status: 'queued' });
    expect(body).not.toHaveProperty('sendAt');
    expect(api.announced).toContain(body.campaignId);
    expect(await read(body.campaignId)).toMatchObject({ status: 'queued' });
  });

  test('repeated with its key after its time has the first answer', async () => {
    const body = { sendAt: Date.now() - 4 * MINUTE_MS - 55_000 };
    const first = await post(body, { 'Idempotency-Key': 'late' });
    await db.sql.query(
      "update idempotency_keys set body_hash = sha256(convert_to($2, 'UTF8')) where application_id = $1 and key = 'late'",
      [applicationId, JSON.stringify({ ...push, sendAt: 1 })],
    );

    const again = await post({ sendAt: 1 }, { 'Idempotency-Key': 'late' });

    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
  });

  test('in a dry run is checked, and stored nowhere', async () => {
    const before = await idsIn('scheduled');

    const { status } = await post({ sendAt: Date.now() + DAY_MS, dryRun: true });
    const { status: late } = await post({ sendAt: 1, dryRun: true });

    expect([status, late]).toEqual([200, 400]);
    expect(await idsIn('scheduled')).toEqual(before);
  });
});

describe('a scheduled campaign', () => {
  test('gets another time, also instead of a local one', async () => {
    const { body } = await post({ sendAtLocal: localIn(3 * DAY_MS) });
    const sendAt = Date.now() + 5 * DAY_MS;

    const changed = await patch(body.campaignId, { sendAt });

    expect(changed.body).toMatchObject({
      status: 'scheduled',
      schedule: { sendAt, sendAtLocal: null },
    });
    expect(await expiryOf(body.campaignId)).toBe(sendAt + 72 * HOUR_MS);
    const events = await api.request<{ items: { type: string; detail?: string }[] }>(
      'GET',
      `campaigns/${body.campaignId}/events`,
      { headers },
    );
    expect(events.body.items.map(({ type, detail }) => [type, detail])).toEqual([
      ['campaign.scheduled', undefined],
      ['campaign.rescheduled', `token:test, new time ${new Date(sendAt).toISOString()}`],
    ]);
  });

  test('gets a local time, also instead of an instant', async () => {
    const { body } = await post({ sendAt: Date.now() + DAY_MS });
    for (const days of [3, 5]) {
      const sendAtLocal = localIn(days * DAY_MS);
      const { first, last } = localTimeBounds(localTimeMs(sendAtLocal) ?? 0);

      const changed = await patch(body.campaignId, { sendAtLocal });

      expect(changed.body).toMatchObject({
        status: 'scheduled',
        schedule: { sendAt: first, sendAtLocal },
      });
      expect(await expiryOf(body.campaignId)).toBe(last + 72 * HOUR_MS);
    }
    // Recipients of many instants do not hold up what is sent at once.
    const { rows } = await db.sql.query('select lane from campaign_chunks where campaign_id = $1', [
      body.campaignId,
    ]);
    expect(rows).toEqual([{ lane: 'bulk' }]);
  });

  test('is canceled like any other, and then cannot get another time', async () => {
    const { body } = await post({ sendAt: Date.now() + DAY_MS });
    const path = `campaigns/${body.campaignId}`;

    expect((await api.request('POST', `${path}/pause`, { headers: api.asAdmin })).status).toBe(409);
    const canceled = await api.request('POST', `${path}/cancel`, { headers: api.asAdmin });
    const late = await patch(body.campaignId, { sendAt: Date.now() + DAY_MS });

    expect(canceled.body).toMatchObject({ status: 'canceled', counts: { total: 1, canceled: 1 } });
    expect([late.status, late.problem.code]).toEqual([409, 'conflict']);
  });

  test.each([
    ['a time too long ago', () => ({ sendAt: Date.now() - 6 * MINUTE_MS }), '/sendAt out_of_range'],
    ['a time too far ahead', () => ({ sendAt: Date.now() + 367 * DAY_MS }), '/sendAt out_of_range'],
    ['text', () => ({ sendAt: 'tomorrow' }), '/sendAt wrong_type'],
    ['nothing', () => ({}), ' empty'],
    [
      'both times',
      () => ({ sendAt: Date.now() + DAY_MS, sendAtLocal: localIn(3 * DAY_MS) }),
      '/sendAtLocal exactly_one_of',
    ],
    [
      'a local time of the past',
      () => ({ sendAtLocal: '2020-12-24T09:00' }),
      '/sendAtLocal out_of_range',
    ],
    [
      'a day that is none',
      () => ({ sendAtLocal: '2026-02-30T09:00' }),
      '/sendAtLocal invalid_value',
    ],
    [
      'a local time with a zone',
      () => ({ sendAtLocal: '2026-12-24T09:00Z' }),
      '/sendAtLocal invalid_value',
    ],
  ])('does not get %s', async (_what, body, fault) => {
    const sendAt = Date.now() + DAY_MS;
    const { body: accepted } = await post({ sendAt });

    const { status, problem } = await patch(accepted.campaignId, body());

    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toContain(fault);
    expect(await read(accepted.campaignId)).toMatchObject({ schedule: { sendAt } });
  });

  test('of another application is not found', async () => {
    const { body } = await post({ sendAt: Date.now() + DAY_MS });

    const { status } = await api.request('PATCH', `campaigns/${body.campaignId}`, {
      headers: { ...api.asAdmin, 'X-Application-Id': api.other.applicationId },
      body: { sendAt: Date.now() + DAY_MS },
    });

    expect(status).toBe(404);
  });
});

const RANGE = 'a time between 5 minutes ago and 366 days ahead';
const IN_MS = `${RANGE}, in milliseconds since 1970`;

test.each([
  ['six minutes ago', () => ({ sendAt: Date.now() - 6 * MINUTE_MS }), '/sendAt', RANGE],
  ['at the epoch', () => ({ sendAt: 0 }), '/sendAt', RANGE],
  ['before the epoch', () => ({ sendAt: -1 }), '/sendAt', RANGE],
  ['in more than 366 days', () => ({ sendAt: Date.now() + 367 * DAY_MS }), '/sendAt', RANGE],
  ['beyond dates', () => ({ sendAt: 9e15 }), '/sendAt', RANGE],
  [
    'in seconds instead of milliseconds',
    () => ({ sendAt: Math.floor(Date.now() / 1_000) + 9_999 }),
    '/sendAt',
    IN_MS,
  ],
  [
    'a local time that has passed everywhere',
    () => ({ sendAtLocal: localIn(-13 * HOUR_MS) }),
    '/sendAtLocal',
    RANGE,
  ],
  [
    'a local time in more than 366 days',
    () => ({ sendAtLocal: localIn(368 * DAY_MS) }),
    '/sendAtLocal',
    RANGE,
  ],
])('a campaign for %s is refused', async (_when, fields, pointer, expected) => {
  const { status, problem } = await post(fields());

  expect(status).toBe(400);
  expect(problem.errors).toEqual([{ pointer, code: 'out_of_range', expected }]);
});
