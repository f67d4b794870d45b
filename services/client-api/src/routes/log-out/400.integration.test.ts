import { afterAll, expect, test } from '@jest/globals';
import { callSdk, createSdkApplication } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each<[unknown, string]>([
  [{}, 'required'],
  [{ deviceId: null }, 'wrong_type'],
  [{ deviceId: ['d'] }, 'wrong_type'],
  [{ deviceId: '' }, 'empty'],
  [{ deviceId: 'a\0' }, 'invalid_value'],
])('%j', async (body, code) => {
  const { headers } = await createSdkApplication(api.db);

  const { status, problem } = await callSdk(api, 'logout', { method: 'POST', headers, body });

  expect([status, problem.errors]).toEqual([
    400,
    [expect.objectContaining({ pointer: '/deviceId', code })],
  ]);
});
