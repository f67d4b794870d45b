import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey, findKeyGrant } from '@tidings/accounts/api-keys';
import {
  configureChannel,
  connectPublicTestDatabase,
  connectTestDatabase,
  createTestApplication,
  registerUsers,
} from '@tidings/testing';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

const db = connectTestDatabase();
/** With the rights of the gateway only. */
const publicDb = connectPublicTestDatabase();
let gateway: TestGateway;
let headers: Record<string, string>;
let clientKey: string;

beforeAll(async () => {
  const { applicationId } = await createTestApplication(db);
  await registerUsers(db, applicationId, {
    ada: { country: 'DE', email: 'ada@example.org' },
    bob: { country: 'FR', email: 'bob@example.org' },
  });
  await configureChannel(db, applicationId, 'EMAIL');
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin) values ($1, 'click', 'action', 'click', 'auto')`,
    [applicationId],
  );
  await db.sql.query(
    `insert into segments (application_id, slug, name, condition, version, updated_by)
     values ($1, 'german', 'German', '{"field":"country","is":"DE"}', 1, 'test')`,
    [applicationId],
  );
  await db.sql.query(
    `insert into funnels (application_id, slug, name, definition, version, updated_by)
     values ($1, 'buying', 'Buying', $2, 1, 'test')`,
    [
      applicationId,
      JSON.stringify({ steps: [{ event: 'click' }, { event: 'click' }], window: '1d' }),
    ],
  );
  gateway = await startTestGateway({
    db: publicDb,
    findKeyGrant: (application, key) => findKeyGrant(publicDb, application, key),
  });
  const made = await createApiKey(db, { applicationId, type: 'server', name: 'test' });
  const client = await createApiKey(db, { applicationId, type: 'client', name: 'test' });
  if (made === 'too_many' || client === 'too_many') throw new Error('there are keys already');
  clientKey = client.key;
  headers = {
    'Content-Type': 'application/json',
    'X-Application-Id': applicationId,
    'X-API-Key': made.key,
  };
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([db.close(), publicDb.close()]);
});

const push = (fields: object, more: Record<string, string> = {}) =>
  gateway.post(
    { channel: 'EMAIL', message: { title: 'Hi', body: 'Hi' }, ...fields },
    { path: '/push', headers: { ...headers, ...more } },
  );

test('the role of the gateway may store a campaign to a segment, and counts nobody', async () => {
  const { status, body } = await push({ segment: 'german' });

  expect(status).toBe(200);
  expect(body).toMatchObject({ recipients: { segment: 'german', estimated: null } });
  const { campaignId } = body as { readonly campaignId: string };
  expect(gateway.announced).toContain(campaignId);
  const { rows } = await db.sql.query('select lane, audience from campaigns where id = $1', [
    campaignId,
  ]);
  expect(rows).toMatchObject([{ lane: 'snapshot', audience: { segment: 'german' } }]);
});

const everything = {
  all: [
    { not: { event: 'click', within: '30d' } },
    {
      any: [
        { field: 'timeZone', exists: true },
        { field: 'timeZone', exists: false },
      ],
    },
    { not: { message: { campaignId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc' }, was: 'opened' } },
    { reachable: 'EMAIL', purpose: 'marketing' },
    { not: { reachable: 'WEB_PUSH' } },
    { segment: 'german' },
    { funnel: 'buying', state: 'dropped', step: 1, within: '30d' },
  ],
};

test('and check each leaf of a condition; a dry run checks it too, stores nothing and counts nobody', async () => {
  const accepted = await push({ segment: { condition: everything } });
  const before = [...gateway.announced];
  const dry = await push({ segment: { condition: everything }, dryRun: true });

  expect(accepted.body).toMatchObject({ recipients: { segment: null, estimated: null } });
  expect(dry.body).toEqual({
    dryRun: true,
    channel: 'EMAIL',
    recipients: { segment: null, count: null },
    reachable: null,
    warnings: [],
  });
  expect(gateway.announced).toEqual(before);
});

test.each([false, true])(
  'a Client key sends to no segment and learns nothing of it, dry run %s',
  async (dryRun) => {
    const before = [...gateway.announced];
    const answers = [];
    for (const segment of ['german', 'nosuch', { condition: { event: 'nosuch' } }])
      answers.push(await push({ segment, dryRun }, { 'X-API-Key': clientKey }));

    expect(answers.map(({ status, problem }) => [status, problem.code, problem.errors])).toEqual(
      answers.map(() => [403, 'client_key_forbidden', undefined]),
    );
    expect(gateway.announced).toEqual(before);
  },
);

test('an unknown segment is a fault, in a dry run too', async () => {
  for (const dryRun of [false, true]) {
    const { status, problem } = await push({ segment: 'nosuch', dryRun });

    expect([status, problem.errors]).toMatchObject([
      400,
      [{ pointer: '/segment', code: 'invalid_value' }],
    ]);
  }
});

test('a fault of the condition is named below its place', async () => {
  const { status, problem } = await push({ segment: { condition: { event: 'nosuch' } } });

  expect(status).toBe(400);
  expect(problem.errors).toMatchObject([
    { pointer: '/segment/condition/event', code: 'invalid_value' },
  ]);
});

test('and which funnel, or which step of it, is not there', async () => {
  const dropped = { funnel: 'buying', state: 'dropped', step: 1, within: '30d' };
  const faultsOf = async (change: object) =>
    (await push({ segment: { condition: { ...dropped, ...change } } })).problem.errors;

  expect(await faultsOf({ funnel: 'nosuch' })).toMatchObject([
    { pointer: '/segment/condition/funnel', code: 'invalid_value' },
  ]);
  expect(await faultsOf({ step: 2 })).toMatchObject([
    { pointer: '/segment/condition/step', code: 'out_of_range' },
  ]);
});

test('after a campaign whose users took long to read, pushes to the same segment get a warning', async () => {
  const condition = { field: 'country', is: 'FR' };
  const slow = { code: 'slow_segment', pointer: '/segment', detail: expect.any(String) };
  const segments = ['german', { condition }];
  const warningsOf = async (segment: unknown, more: object = {}) =>
    (await push({ segment, ...more })).body;

  for (const segment of segments) {
    const first = (await push({ segment })).body as { readonly campaignId: string };
    expect(first).toMatchObject({ warnings: [] });
    await db.sql.query('update campaigns set snapshot_slow_at = now() where id = $1', [
      first.campaignId,
    ]);
  }

  for (const segment of segments) {
    expect(await warningsOf(segment)).toMatchObject({ warnings: [slow] });
    expect(await warningsOf(segment, { dryRun: true })).toMatchObject({ warnings: [slow] });
  }
  expect(await warningsOf({ condition: { field: 'country', is: 'US' } })).toMatchObject({
    warnings: [],
  });
  await db.sql.query(
    `update campaigns set snapshot_slow_at = now() - interval '8 days'
     where application_id = $1 and snapshot_slow_at is not null`,
    [headers['X-Application-Id']],
  );
  expect(await warningsOf('german')).toMatchObject({ warnings: [] });
});
