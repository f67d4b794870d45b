import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const NOW = Date.now();
const MINUTE = 60_000;
const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asServer, asAdmin } = api;

/** Who did what, in minutes before now. */
const DONE: Readonly<Record<string, readonly (readonly [slug: string, minutes: number])[]>> = {
  converted: [
    ['viewd', 300],
    ['cartd', 290],
    ['order', 270],
  ],
  dropped: [
    ['viewd', 300],
    ['cartd', 295],
  ],
  open: [['viewd', 10]],
  late: [
    ['viewd', 300],
    ['cartd', 100],
  ],
  elsewhere: [['cartd', 10]],
};

beforeAll(async () => {
  await registerUsers(db, tenant.applicationId, {
    converted: { country: 'DE' },
    dropped: { country: 'AT' },
    open: { country: 'DE' },
    late: {},
    elsewhere: { country: 'DE' },
  });
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, slug, 'action', slug, 'auto' from unnest(array['viewd', 'cartd', 'order']) slug`,
    [tenant.applicationId],
  );
  for (const [customUserId, events] of Object.entries(DONE))
    for (const [slug, minutes] of events)
      await db.sql.query(
        `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
           time, received_at, attributes)
         select gen_random_uuid(), 0, $1, u.id, 'm', 'action', $3, $4, now(), '{"price": 51}'
         from users u where u.application_id = $1 and u.custom_user_id = $2`,
        [tenant.applicationId, customUserId, slug, NOW - minutes * MINUTE],
      );
});

const question = {
  steps: [
    { event: 'viewd' },
    { event: { kind: 'action', name: 'cartd' }, where: [{ attribute: 'price', gt: 50 }] },
    { event: 'order' },
  ],
  window: '1h',
  from: NOW - 400 * MINUTE,
  to: NOW,
};
type Result = {
  readonly steps: readonly Readonly<Record<string, number | null>>[];
  readonly groups?: readonly { readonly value: unknown; readonly steps: Result['steps'] }[];
};
const ask = async (changes: object = {}) => {
  const { status, body } = await api.request<Result>('POST', 'funnels/result', {
    headers: asServer,
    body: { ...question, ...changes },
  });
  expect(status).toBe(200);
  return body;
};

describe('the numbers of a funnel', () => {
  test('tell who dropped out from who may still convert', async () => {
    const { steps, ...rest } = await ask();

    expect(steps).toEqual([
      {
        users: 4,
        fromStart: 1,
        fromPrevious: 1,
        dropped: 1,
        open: 1,
        medianMs: null,
        p90Ms: null,
      },
      {
        users: 2,
        fromStart: 0.5,
        fromPrevious: 0.5,
        dropped: 1,
        open: 0,
        medianMs: 5 * MINUTE,
        p90Ms: 10 * MINUTE,
      },
      {
        users: 1,
        fromStart: 0.25,
        fromPrevious: 0.5,
        medianMs: 20 * MINUTE,
        p90Ms: 20 * MINUTE,
      },
    ]);
    expect(rest).toMatchObject({ store: 'postgres', warnings: [] });
  });

  test('add up by country', async () => {
    const { steps, groups = [] } = await ask({ breakdown: { field: 'country' } });

    expect(groups.map(({ value, steps: [first] }) => [value, first?.['users']])).toEqual([
      ['DE', 2],
      ['AT', 1],
      [null, 1],
    ]);
    for (const [index, { users }] of steps.entries())
      expect(groups.reduce((sum, each) => sum + Number(each.steps[index]?.['users']), 0)).toBe(
        users,
      );
  });

  test('are of a segment, or of everybody who entered', async () => {
    await api.request('PUT', 'segments/german', {
      headers: asAdmin,
      body: { name: 'German', condition: { field: 'country', is: 'DE' } },
    });

    expect((await ask({ segment: 'german' })).steps[0]).toMatchObject({ users: 2 });
    expect((await ask({ visitors: true })).steps[0]).toMatchObject({ users: 4 });
  });

  test('warn of a definition whose events are not stored any more', async () => {
    await api.request('PATCH', 'definitions/order', {
      headers: asAdmin,
      body: { discarded: true },
    });

    expect(await ask()).toMatchObject({
      warnings: [{ code: 'definition_discarded', pointer: '/steps/2/event' }],
    });
    await api.request('PATCH', 'definitions/order', {
      headers: asAdmin,
      body: { discarded: false },
    });
  });

  test('are those of one application', async () => {
    const { status, problem } = await api.request('POST', 'funnels/result', {
      headers: { ...asAdmin, 'X-Application-Id': api.other.applicationId },
      body: question,
    });

    expect(status).toBe(400);
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([
      '/steps/0/event',
      '/steps/1/event',
      '/steps/2/event',
    ]);
  });
});

test('a viewer may ask', async () => {
  const { headers } = await api.signIn('viewer');

  expect((await api.request('POST', 'funnels/result', { headers, body: question })).status).toBe(
    200,
  );
});
