import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createApiKey, findKeyGrant } from '@tidings/accounts/api-keys';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listCampaigns, readCampaign } from '@tidings/campaign-reports/reports';
import type { Database } from '@tidings/postgres/database';
import {
  connectPublicTestDatabase,
  connectTestDatabase,
  createTestApplication,
} from '@tidings/testing';
import { startTestGateway, type TestGateway } from '../../testing/test-gateway.ts';

let db: Database;
let publicDb: Database;
let gateway: TestGateway;
let applicationId: string;
const keys = { server: '', client: '' };

beforeAll(async () => {
  db = connectTestDatabase();
  publicDb = connectPublicTestDatabase();
  ({ applicationId } = await createTestApplication(db));
  for (const type of ['server', 'client'] as const) {
    const made = await createApiKey(db, { applicationId, type, name: `${type} key` });
    if (made !== 'too_many') keys[type] = made.key;
  }
  gateway = await startTestGateway({
    db: publicDb,
    findKeyGrant: (application, key) => findKeyGrant(publicDb, application, key),
  });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await Promise.all([db.close(), publicDb.close()]);
});

const push = (body: unknown, key = keys.server) =>
  gateway.post(body, {
    path: '/push',
    headers: {
      'Content-Type': 'application/json',
      'X-Application-Id': applicationId,
      'X-API-Key': key,
    },
  });

test('an accepted campaign is durable and readable from the moment of the answer', async () => {
  const { status, body } = await push({
    recipients: ['u1', 'u2', 'u1', "'; drop table users; --", '😀'],
    channel: 'EMAIL',
    message: { title: 'Hello', body: 'a\ufffd "quoted" \\ text', url: 'https://ignored.example' },
  });

  const { campaignId, requestId, createdAt } = body as {
    readonly campaignId: string;
    readonly requestId: string;
    readonly createdAt: number;
  };
  expect(status).toBe(200);
  expect(await readCampaign(db, applicationId, campaignId)).toMatchObject({
    campaignId,
    requestId,
    status: 'queued',
    channel: 'EMAIL',
    source: 'api',
    purpose: 'transactional',
    createdBy: 'key:server key',
    message: { title: 'Hello', body: 'a\ufffd "quoted" \\ text' },
    recipients: { requested: 5, unique: 4 },
    timing: { createdAt },
  });
  expect(await listCampaignEvents(db, campaignId, { limit: 10 })).toMatchObject([
    { type: 'campaign.queued' },
  ]);
});

test('a campaign keeps the trace of its request, or gets one of its own', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const accepted = [];
  for (const traceparent of [`00-${traceId}-b7ad6b7169203331-01`, 'nonsense']) {
    const { body } = await gateway.post(
      { recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } },
      {
        path: '/push',
        headers: {
          'Content-Type': 'application/json',
          'X-Application-Id': applicationId,
          'X-API-Key': keys.server,
          traceparent,
        },
      },
    );
    accepted.push((body as { readonly campaignId: string }).campaignId);
  }

  const { rows } = await db.sql.query<{ trace_id: string }>(
    'select trace_id from campaigns where id = any($1) order by id',
    [accepted],
  );
  expect(rows[0]?.trace_id).toBe(traceId);
  expect(rows[1]?.trace_id).toMatch(/^(?!0af765)[0-9a-f]{32}$/);
});

test('the largest campaign is accepted', async () => {
  const recipients = Array.from({ length: 100_000 }, (_, index) => `${index}`.padStart(60, 'x'));

  const { status, body } = await push({ recipients, channel: 'SMS', message: { body: 'Hi' } });

  expect(status).toBe(200);
  expect(body).toMatchObject({ recipients: { requested: 100_000, unique: 100_000 } });
}, 60_000);

test('a Client key, and a key of another application, store nothing', async () => {
  const other = await createTestApplication(db);
  const { rows: before } = await db.sql.query<{ n: string }>(
    'select count(*) as n from campaigns where application_id = any($1)',
    [[applicationId, other.applicationId]],
  );

  const rejected = [
    await push({ recipients: ['u1'], channel: 'SMS', message: { body: 'Hi' } }, keys.client),
    await gateway.post('{}', {
      path: '/push',
      headers: {
        'Content-Type': 'application/json',
        'X-Application-Id': other.applicationId,
        'X-API-Key': keys.server,
      },
    }),
  ];

  const { rows: after } = await db.sql.query<{ n: string }>(
    'select count(*) as n from campaigns where application_id = any($1)',
    [[applicationId, other.applicationId]],
  );
  expect(rejected.map(({ status, problem }) => [status, problem.code])).toEqual([
    [403, 'client_key_forbidden'],
    [403, 'forbidden'],
  ]);
  expect(after).toEqual(before);
});

test('a dry run reports who would be reached and why others would not, and stores nothing', async () => {
  const { applicationId: own } = await createTestApplication(db);
  const made = await createApiKey(db, { applicationId: own, type: 'server', name: 'dry' });
  const key = made === 'too_many' ? '' : made.key;
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at, fields) values
       (uuidv7(), $1, 'ada', now(), '{"email":"ada@people.example"}'), (uuidv7(), $1, 'hashed', now(), '{"hashedEmail":"00"}'),
       (uuidv7(), $1, 'unregistered', null, '{}')`,
    [own],
  );
  await db.sql.query(`update applications set settings = '{"sendUntested":true}' where id = $1`, [
    own,
  ]);
  await db.sql.query(
    `insert into channel_settings (application_id, channel, settings, status) values ($1, 'EMAIL', '{}', 'untested')`,
    [own],
  );

  const { status, body } = await gateway.post(
    {
      recipients: ['ada', 'hashed', 'unregistered', 'ada'],
      channel: 'EMAIL',
      message: { body: 'Hi' },
      dryRun: true,
    },
    {
      path: '/push',
      headers: { 'Content-Type': 'application/json', 'X-Application-Id': own, 'X-API-Key': key },
    },
  );

  expect(status).toBe(200);
  expect(body).toEqual({
    dryRun: true,
    channel: 'EMAIL',
    recipients: { requested: 4, unique: 3 },
    reachable: 1,
    unreachable: { hashed_only: 1, unknown_user: 1 },
    results: [
      { customUserId: 'ada', reachable: true },
      { customUserId: 'hashed', reachable: false, reason: 'hashed_only' },
      { customUserId: 'unregistered', reachable: false, reason: 'unknown_user' },
    ],
    warnings: [
      { code: 'channel_untested', pointer: '/channel', detail: expect.stringMatching(/./) },
    ],
  });
  expect(await listCampaigns(db, own, { limit: 1 })).toEqual([]);
});

test('a dry run of 100,000 known and unknown recipients reports who would be reached, and lists the first thousand', async () => {
  const { applicationId: own } = await createTestApplication(db);
  const made = await createApiKey(db, { applicationId: own, type: 'server', name: 'dry' });
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at, fields)
     select uuidv7(), $1, 'u' || n, now(), case when n % 5 = 0 then '{}'::jsonb else jsonb_build_object('email', n || '@people.example', 'firstName', repeat('x', 500)) end
     from generate_series(0, 49999) n`,
    [own],
  );
  await db.sql.query(
    `insert into channel_settings (application_id, channel, settings, status) values ($1, 'EMAIL', '{}', 'ready')`,
    [own],
  );
  const recipients = Array.from({ length: 100_000 }, (_, index) => `u${99_999 - index}`);

  const { status, body } = await gateway.post(
    { recipients, channel: 'EMAIL', message: { body: 'Hi' }, dryRun: true },
    {
      path: '/push',
      headers: {
        'Content-Type': 'application/json',
        'X-Application-Id': own,
        'X-API-Key': made === 'too_many' ? '' : made.key,
        'Idempotency-Key': 'dry',
      },
    },
  );

  const { results, ...rest } = body as { readonly results: readonly unknown[] };
  expect(status).toBe(200);
  expect(rest).toEqual({
    dryRun: true,
    channel: 'EMAIL',
    recipients: { requested: 100_000, unique: 100_000 },
    reachable: 40_000,
    unreachable: { unknown_user: 50_000, no_address: 10_000 },
    warnings: [],
  });
  expect(results).toEqual(
    recipients
      .slice(0, 1_000)
      .map((customUserId) => ({ customUserId, reachable: false, reason: 'unknown_user' })),
  );
  expect(
    (await db.sql.query('select 1 from idempotency_keys where application_id = $1', [own]))
      .rowCount,
  ).toBe(0);
}, 60_000);
