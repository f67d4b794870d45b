import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers } = dashboard;

test('DELETE suppressions/{id} lifts one reason; the others stay', async () => {
  const add = (reason: string) =>
    dashboard.request('POST', 'suppressions', {
      headers,
      body: { channel: 'EMAIL', address: 'ada@example.org', reason },
    });
  const { body } = await add('suppressed_bounce');
  await add('suppressed_complaint');

  const { status, text } = await dashboard.request('DELETE', `suppressions/${String(body['id'])}`, {
    headers,
  });

  expect([status, text]).toEqual([204, '']);
  expect((await dashboard.request('GET', 'suppressions', { headers })).body).toMatchObject({
    items: [{ reason: 'suppressed_complaint' }],
    nextCursor: null,
  });
});
