import { afterAll, expect, test } from '@jest/globals';
import { updateApplication } from '@tidings/people/update-application';
import { callSdk, createSdkApplication } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each<[string, unknown, string, string]>([
  ['no device', { userToken: 'x' }, '/deviceId', 'required'],
  ['no user', { deviceId: 'd' }, '/userToken', 'required'],
  [
    'no user, with both fields null',
    { deviceId: 'd', userToken: null, customUserId: null },
    '/userToken',
    'required',
  ],
  ['a token of another type', { deviceId: 'd', userToken: {} }, '/userToken', 'wrong_type'],
  ['an empty token', { deviceId: 'd', userToken: '' }, '/userToken', 'empty'],
  ['a user of another type', { deviceId: 'd', customUserId: 5 }, '/customUserId', 'wrong_type'],
  ['a user with U+0000', { deviceId: 'd', customUserId: 'a\0' }, '/customUserId', 'invalid_value'],
  [
    'a user with half a character',
    '{"deviceId":"d","customUserId":"\\ud800"}',
    '/customUserId',
    'invalid_value',
  ],
])('%s', async (_what, body, pointer, code) => {
  const { applicationId, headers } = await createSdkApplication(api.db);
  await updateApplication(api.db, applicationId, { settings: { userTokens: 'optional' } });

  const { status, problem } = await callSdk(api, 'identify', { method: 'POST', headers, body });

  expect([status, problem.code]).toEqual([400, 'validation_failed']);
  expect(problem.errors).toEqual([expect.objectContaining({ pointer, code })]);
});
