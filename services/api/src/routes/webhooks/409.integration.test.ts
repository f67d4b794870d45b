import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';
import { createWebhook } from '../../testing/webhooks.ts';

const api = await startTestApi({ testSendTimeoutMs: 50 });
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test('a disabled endpoint is not tested; a pending delivery is not replayed', async () => {
  const { id } = await createWebhook(api);
  const { body: sent } = await api.request('POST', `webhooks/${id}/test`, { headers });
  const replay = () =>
    api.request('POST', `webhooks/${id}/deliveries/${String(sent['deliveryId'])}/replay`, {
      headers,
    });

  expect((await replay()).problem).toMatchObject({
    status: 409,
    code: 'conflict',
    detail: 'The delivery is still pending.',
  });
  await api.request('PATCH', `webhooks/${id}`, { headers, body: { enabled: false } });
  expect((await api.request('POST', `webhooks/${id}/test`, { headers })).status).toBe(409);
  expect((await replay()).problem).toMatchObject({
    status: 409,
    detail: 'The endpoint is disabled. Enable it first.',
  });
});

test('an application has at most 16 endpoints, also with concurrent requests', async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      api.request('POST', 'webhooks', { headers, body: { url: 'https://hooks.example/' } }),
    ),
  );

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(15);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 409]));
  expect(
    (await api.request<{ items: unknown[] }>('GET', 'webhooks', { headers })).body.items,
  ).toHaveLength(16);
});
