import { afterAll, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import { startTestDashboard } from '../../testing/test-dashboard.ts';
import { createWebhook, settleNext } from '../../testing/webhooks.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers } = dashboard;

test.each([
  ['an endpoint nobody has', systemIds.uuid()],
  ['what is no id', 'x'],
])('%s', async (_name, id) => {
  const statuses = await Promise.all([
    dashboard.request('PATCH', `webhooks/${id}`, { headers, body: { enabled: true } }),
    dashboard.request('DELETE', `webhooks/${id}`, { headers }),
    dashboard.request('POST', `webhooks/${id}/rotate-secret`, { headers }),
    dashboard.request('POST', `webhooks/${id}/test`, { headers }),
    dashboard.request('GET', `webhooks/${id}/deliveries`, { headers }),
    dashboard.request('POST', `webhooks/${id}/deliveries/${systemIds.uuid()}/replay`, { headers }),
  ]);

  expect(statuses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
});

test('an entry of another endpoint', async () => {
  const [one, other] = [await createWebhook(dashboard), await createWebhook(dashboard)];
  const [{ body }] = await Promise.all([
    dashboard.request('POST', `webhooks/${one.id}/test`, { headers }),
    settleNext(dashboard, one.id, {
      outcome: 'succeeded',
      attempt: { at: 1, durationMs: 1, statusCode: 200 },
    }),
  ]);

  for (const entry of [String(body['deliveryId']), systemIds.uuid(), 'x']) {
    expect(
      (
        await dashboard.request('POST', `webhooks/${other.id}/deliveries/${entry}/replay`, {
          headers,
        })
      ).status,
    ).toBe(404);
  }
});
