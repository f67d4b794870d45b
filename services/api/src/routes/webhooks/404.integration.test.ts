import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestApi } from '../../testing/test-api.ts';
import { createWebhook, settleNext } from '../../testing/webhooks.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test.each([
  ['an unknown endpoint', systemIds.uuid()],
  ['what is no id', 'x'],
])('%s', async (_name, id) => {
  const statuses = await Promise.all([
    api.request('PATCH', `webhooks/${id}`, { headers, body: { enabled: true } }),
    api.request('DELETE', `webhooks/${id}`, { headers }),
    api.request('POST', `webhooks/${id}/rotate-secret`, { headers }),
    api.request('POST', `webhooks/${id}/test`, { headers }),
    api.request('GET', `webhooks/${id}/deliveries`, { headers }),
    api.request('POST', `webhooks/${id}/deliveries/${systemIds.uuid()}/replay`, { headers }),
  ]);

  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
});

test('a delivery of another endpoint', async () => {
  const [one, other] = [await createWebhook(api), await createWebhook(api)];
  const [{ body }] = await Promise.all([
    api.request('POST', `webhooks/${one.id}/test`, { headers }),
    settleNext(api, one.id, {
      outcome: 'succeeded',
      attempt: { at: 1, durationMs: 1, statusCode: 200 },
    }),
  ]);

  for (const entry of [String(body['deliveryId']), systemIds.uuid(), 'x']) {
    expect(
      (
        await api.request('POST', `webhooks/${other.id}/deliveries/${entry}/replay`, {
          headers,
        })
      ).status,
    ).toBe(404);
  }
});
