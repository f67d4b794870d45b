import { afterAll, expect, test } from '@jest/globals';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers } = dashboard;

test.each(['email', 'FAX', '__proto__'])('%s is no channel', async (channel) => {
  expect((await dashboard.request('GET', `channels/${channel}`, { headers })).status).toBe(404);
  expect(
    (await dashboard.request('PUT', `channels/${channel}`, { headers, body: EMAIL_SETTINGS }))
      .status,
  ).toBe(404);
  expect(
    (
      await dashboard.request('POST', `channels/${channel}/test`, {
        headers,
        body: { to: 'me@example.org' },
      })
    ).status,
  ).toBe(404);
});

test('the settings of one application are not those of another', async () => {
  await dashboard.request('PUT', 'channels/EMAIL', { headers, body: EMAIL_SETTINGS });

  const { body } = await dashboard.request('GET', 'channels/EMAIL', {
    headers: { ...headers, 'X-Application-Id': dashboard.other.applicationId },
  });

  expect(body).toMatchObject({ status: 'not_configured', settings: {} });
});
