import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';
import { createWebhook } from '../../testing/webhooks.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test('DELETE webhooks/{id} deletes an endpoint and its log', async () => {
  const { id } = await createWebhook(api);

  const { status, text } = await api.request('DELETE', `webhooks/${id}`, { headers });

  expect([status, text]).toEqual([204, '']);
  expect((await api.request('GET', 'webhooks', { headers })).body).toEqual({
    items: [],
    nextCursor: null,
  });
  expect((await api.request('GET', `webhooks/${id}/deliveries`, { headers })).status).toBe(404);
});
