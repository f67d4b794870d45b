import { afterAll, expect, test } from '@jest/globals';
import { writeChannelSettings } from '@tidings/accounts/channel-settings';
import { updateApplication } from '@tidings/people/update-application';
import { testSecretBox } from '@tidings/testing';
import { callSdk, createSdkApplication } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('returns the client configuration, also for an application without settings', async () => {
  const { applicationId, headers } = await createSdkApplication(api.db);
  const before = Date.now();

  const { status, body, headers: told } = await callSdk(api, 'config', { headers });

  expect([status, told.get('Cache-Control')]).toEqual([200, 'no-store']);
  expect(body).toEqual({
    applicationId,
    serverTime: expect.any(Number),
    userTokens: 'required',
    vapidPublicKey: null,
    limits: { bodyBytesMax: 65_536 },
  });
  expect((body as { serverTime: number }).serverTime).toBeGreaterThanOrEqual(before);
});

test('returns the VAPID public key, and whether a user token is required', async () => {
  const { applicationId, headers } = await createSdkApplication(api.db);
  await writeChannelSettings(api.db, testSecretBox, {
    applicationId,
    channel: 'WEB_PUSH',
    settings: { publicKey: 'the public key' },
    secrets: { privateKey: 'canary' },
  });
  await updateApplication(api.db, applicationId, { settings: { userTokens: 'optional' } });

  const { body, text } = await callSdk(api, 'config', { headers });

  expect(body).toMatchObject({ vapidPublicKey: 'the public key', userTokens: 'optional' });
  expect(text).not.toContain('canary');
});
