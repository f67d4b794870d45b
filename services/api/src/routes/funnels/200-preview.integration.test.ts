import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const NOW = Date.now();
const MINUTE = 60_000;
const USERS = 5_000;
const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asServer, asAdmin } = api;
const question = {
  steps: [{ event: 'viewd' }, { event: 'order' }],
  window: '1h',
  from: NOW - 600 * MINUTE,
  to: NOW,
};
type Step = Readonly<Record<'users' | 'low' | 'high' | 'dropped' | 'open', number>>;
type Result = { readonly steps: readonly Step[]; readonly isExact: boolean };
const ask = async (path: string, changes: object = {}) => {
  const { status, body } = await api.request<Result>('POST', `funnels/${path}`, {
    headers: asServer,
    body: { ...question, ...changes },
  });
  expect(status).toBe(200);
  return body;
};

/** Each second user views, each eighth orders half an hour later. */
const insertEvents = (applicationId: string) =>
  db.sql.query(
    `insert into events (request_id, message_index, application_id, user_id, message_id, type, slug,
       time, received_at)
     select gen_random_uuid(), 0, u.application_id, u.id, 'm', 'action', e.slug, e.time, now()
     from (select *, row_number() over (order by custom_user_id) as no from users
         where application_id = $1) u
       cross join lateral (values ('viewd', $2::bigint, 2), ('order', $2::bigint + 1800000, 8)) as e(slug, time, each)
     where u.no % e.each = 0`,
    [applicationId, NOW - 300 * MINUTE],
  );

beforeAll(async () => {
  for (const { applicationId } of [tenant, other])
    await db.sql.query(
      `insert into definitions (application_id, slug, kind, name, origin)
       select $1, slug, 'action', slug, 'auto' from unnest(array['viewd', 'order']) slug`,
      [applicationId],
    );
  await registerUsers(
    db,
    tenant.applicationId,
    Object.fromEntries(
      Array.from({ length: 40 }, (_, index) => [
        `user-${index}`,
        index < 10 ? { country: 'DE' } : {},
      ]),
    ),
  );
  await insertEvents(tenant.applicationId);
});

test('of few users it has the exact numbers', async () => {
  const { steps, isExact } = await ask('preview');

  const exact = await ask('result');
  expect(isExact).toBe(true);
  expect(steps.map(({ users }) => users)).toEqual([20, 5]);
  expect(steps).toEqual(
    exact.steps.map((step) => ({ ...step, low: step.users, high: step.users })),
  );
});

test('of the members of a segment', async () => {
  await api.request('PUT', 'segments/german', {
    headers: asAdmin,
    body: { name: 'German', condition: { field: 'country', is: 'DE' } },
  });

  const { steps } = await ask('preview', { segment: 'german' });

  const exact = await ask('result', { segment: 'german' });
  expect(steps).toMatchObject(exact.steps);
});

test('of many users it has bounds', async () => {
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at)
     select gen_random_uuid(), $1, 'u' || n, now() from generate_series(1, $2::int) n`,
    [other.applicationId, USERS],
  );
  await insertEvents(other.applicationId);

  const { status, body } = await api.request<Result>('POST', 'funnels/preview', {
    headers: { ...asAdmin, 'X-Application-Id': other.applicationId },
    body: question,
  });

  expect([status, body.isExact]).toEqual([200, false]);
  const [first, last] = body.steps as readonly [Step, Step];
  // Of some 2,500 drawn users, an interval is some 200 wide; a miss by twice that is no chance.
  expect(Math.abs(first.users - USERS / 2)).toBeLessThan(400);
  expect(Math.abs(last.users - USERS / 8)).toBeLessThan(300);
  expect(first.high - first.low).toBeGreaterThan(50);
  expect(first.users).toBe(last.users + first.dropped + first.open);
}, 30_000);

test.each([
  ['a breakdown', { breakdown: { field: 'country' } }, '/breakdown'],
  ['visitors', { visitors: true }, '/visitors'],
  ['an unknown segment', { segment: 'nosuch' }, '/segment'],
  ['no range', { to: question.from }, '/to'],
  ['one step', { steps: [{ event: 'viewd' }] }, '/steps'],
])('%s is refused', async (_what, changes, pointer) => {
  const { status, problem } = await api.request('POST', 'funnels/preview', {
    headers: asServer,
    body: { ...question, ...changes },
  });

  expect([status, problem.errors?.map((error) => error.pointer)]).toEqual([400, [pointer]]);
});
