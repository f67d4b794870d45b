import { afterAll, expect, test } from '@jest/globals';
import { callSdk, createSdkApplication } from '../../testing/sdk-application.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('an unregistered device gets 404 and no user is created', async () => {
  const { applicationId, headers } = await createSdkApplication(api.db);

  const { status, problem } = await callSdk(api, 'logout', {
    method: 'POST',
    headers,
    body: { deviceId: 'unregistered', customUserId: 'ada' },
  });

  expect([status, problem.detail]).toEqual([404, 'Unknown device. Register it first.']);
  const { rows } = await api.db.sql.query('select 1 from users where application_id = $1', [
    applicationId,
  ]);
  expect(rows).toEqual([]);
});
