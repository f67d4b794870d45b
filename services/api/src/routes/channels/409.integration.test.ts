import { afterAll, expect, test } from '@jest/globals';
import { createSecretBox } from '@tidings/platform';
import { EMAIL_SETTINGS } from '../../testing/email-settings.ts';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test('a channel that is not configured cannot be tested', async () => {
  const { status, problem } = await api.request('POST', 'channels/EMAIL/test', {
    headers,
    body: { to: 'me@example.org' },
  });

  expect([status, problem.code]).toEqual([409, 'conflict']);
});

test('a secret encrypted with another ENCRYPTION_KEY is not lost by sending its mask', async () => {
  await using earlier = await startTestApi({
    box: createSecretBox('the key of another installation, or of last year'),
  });
  const admin = {
    Authorization: headers['Authorization'] ?? '',
    'X-Application-Id': earlier.tenant.applicationId,
  };
  await earlier.request('PUT', 'channels/EMAIL', { headers: admin, body: EMAIL_SETTINGS });

  const { status, problem } = await api.request('PUT', 'channels/EMAIL', {
    headers: admin,
    body: { ...EMAIL_SETTINGS, password: '********' },
  });

  expect([status, problem.code]).toEqual([409, 'conflict']);
  expect((await earlier.request('GET', 'channels/EMAIL', { headers: admin })).body).toMatchObject({
    settings: { password: '********' },
  });
  expect(
    (await api.request('PUT', 'channels/EMAIL', { headers: admin, body: EMAIL_SETTINGS })).status,
  ).toBe(200);
});
