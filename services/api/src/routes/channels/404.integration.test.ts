import { afterAll, expect, test } from '@jest/globals';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test.each(['email', 'FAX', '__proto__'])('%s is not a channel', async (channel) => {
  expect((await api.request('GET', `channels/${channel}`, { headers })).status).toBe(404);
  expect(
    (await api.request('PUT', `channels/${channel}`, { headers, body: EMAIL_SETTINGS })).status,
  ).toBe(404);
  expect(
    (
      await api.request('POST', `channels/${channel}/test`, {
        headers,
        body: { to: 'me@example.org' },
      })
    ).status,
  ).toBe(404);
});

test('the settings of one application are not those of another', async () => {
  await api.request('PUT', 'channels/EMAIL', { headers, body: EMAIL_SETTINGS });

  const { body } = await api.request('GET', 'channels/EMAIL', {
    headers: { ...headers, 'X-Application-Id': api.other.applicationId },
  });

  expect(body).toMatchObject({ status: 'not_configured', settings: {} });
});
