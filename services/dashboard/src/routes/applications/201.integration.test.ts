import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});

test.each(['Shop', '👩‍👩‍👧', 'x'.repeat(200)])('POST applications makes an application named %j', async (name) => {
  const { status, body } = await dashboard.request('POST', 'applications', { headers: dashboard.asAdmin, body: { name } });

  expect(status).toBe(201);
  expect(body).toEqual({ applicationId: expect.any(String), name, settings: {}, createdAt: expect.any(Number) });
  expect((await dashboard.request('GET', `applications/${String(body['applicationId'])}`, { headers: dashboard.asAdmin })).body).toEqual(body);
});
