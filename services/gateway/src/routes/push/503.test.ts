import { expect, test } from '@jest/globals';
import { createAdmission } from '@tidings/http/admission';
import { eventually } from '@tidings/testing';
import {
  SERVER_HEADERS,
  batchWith,
  databaseThat,
  startTestGateway,
} from '../../testing/test-gateway.ts';

const body = '{"recipients":["u1"],"channel":"SMS","message":{"body":"b"}}';

test.each([
  ['a database that is away', 'ECONNREFUSED'],
  ['the push deadline', '57014'],
])(
  'a campaign that cannot be stored is 503 with Retry-After, not announced, and says nothing of the reason: %s',
  async (_what, code) => {
    const away = Object.assign(new Error('canary'), { code });
    await using gateway = await startTestGateway({ db: databaseThat(() => Promise.reject(away)) });

    const { status, headers, text, problem } = await gateway.post(body, {
      path: '/push',
      headers: SERVER_HEADERS,
    });

    expect([status, problem.code]).toEqual([503, 'unavailable']);
    expect(Number(headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(text).not.toContain('canary');
    expect(gateway.announced).toEqual([]);
    expect(gateway.logLines).toEqual([
      expect.objectContaining({
        level: 'warn',
        msg: 'campaign could not be stored',
        requestId: problem.requestId,
      }),
    ]);
  },
);

test('a failure other than an unavailable database is 500, logged as an error', async () => {
  await using gateway = await startTestGateway({
    db: databaseThat(() => Promise.reject(new TypeError('canary'))),
  });

  const { status, text, problem } = await gateway.post(body, {
    path: '/push',
    headers: SERVER_HEADERS,
  });

  expect([status, problem.code]).toEqual([500, 'internal']);
  expect(text).not.toContain('canary');
  expect(gateway.announced).toEqual([]);
  expect(gateway.logLines).toEqual([
    expect.objectContaining({ level: 'error', requestId: problem.requestId }),
  ]);
});

test('a body of unknown size that might not fit is 503 before it is read', async () => {
  await using gateway = await startTestGateway({
    admissions: {
      push: createAdmission({ path: 'push', bytesMax: 8 * 1024 * 1024 - 1, requestsMax: 10 }),
    },
  });

  const rejected = await gateway.post('{', {
    path: '/push',
    headers: { ...SERVER_HEADERS, 'Content-Encoding': 'gzip' },
  });

  expect(rejected.status).toBe(503);
  expect(rejected.headers.get('Retry-After')).toMatch(/^[1-5]$/);
  expect((await gateway.post(body, { path: '/push', headers: SERVER_HEADERS })).status).toBe(200);
});

test('batches that wait for Kafka take no memory from campaigns', async () => {
  const gate = Promise.withResolvers<void>();
  const narrow = (path: 'ingest' | 'push') =>
    createAdmission({ path, bytesMax: 8 * 1024 * 1024, requestsMax: 1 });
  const statements: string[] = [];
  await using gateway = await startTestGateway({
    admissions: { ingest: narrow('ingest'), push: narrow('push') },
    append: () => gate.promise,
    storeCampaigns: async (campaigns) => {
      statements.push(campaigns[0]?.channel ?? '');
      await gate.promise;
      return campaigns.map(() => ({ outcome: 'accepted', isUntested: false }));
    },
  });
  const batch = gateway.post(batchWith());
  await eventually(async () => expect((await gateway.post(batchWith())).status).toBe(503));

  const campaign = gateway.post(body, { path: '/push' });
  await eventually(() => expect(statements).toEqual(['SMS']));
  const second = await gateway.post(body, { path: '/push' });
  gate.resolve();

  expect(second.status).toBe(503);
  expect([(await batch).status, (await campaign).status]).toEqual([200, 200]);
});
