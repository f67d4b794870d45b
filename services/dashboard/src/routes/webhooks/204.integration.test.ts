import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';
import { createWebhook } from '../../testing/webhooks.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers } = dashboard;

test('DELETE webhooks/{id} ends an endpoint and its log', async () => {
  const { id } = await createWebhook(dashboard);

  const { status, text } = await dashboard.request('DELETE', `webhooks/${id}`, { headers });

  expect([status, text]).toEqual([204, '']);
  expect((await dashboard.request('GET', 'webhooks', { headers })).body).toEqual({
    items: [],
    nextCursor: null,
  });
  expect((await dashboard.request('GET', `webhooks/${id}/deliveries`, { headers })).status).toBe(
    404,
  );
});
