import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import { readDevice } from '@tidings/people/devices/devices';
import { systemIds } from '@tidings/platform';
import { testSecretBox } from '@tidings/testing';
import {
  callSdk,
  createSdkApplication,
  type SdkApplication,
} from '../../testing/sdk-application.ts';
import { tokenOf } from '../../testing/sign-token.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

let app: SdkApplication;
let secrets: readonly [own: string, ofAnother: string];
beforeAll(async () => {
  app = await createSdkApplication(api.db);
  const other = await createSdkApplication(api.db);
  const make = async ({ applicationId }: SdkApplication) =>
    (await rotateUserTokenSecret(api.db, testSecretBox, applicationId))?.secret ?? '';
  secrets = [await make(app), await make(other)];
});

test.each<[string, () => object, string]>([
  [
    'a bare customUserId',
    () => ({ customUserId: 'ada' }),
    'This application requires a user token for a customUserId.',
  ],
  [
    'a token of another application',
    () => ({ userToken: tokenOf(secrets[1], 'ada') }),
    'The user token is invalid.',
  ],
  ['a token that is none', () => ({ userToken: 'x' }), 'The user token is invalid.'],
  [
    'a token of another user than it names',
    () => ({ userToken: tokenOf(secrets[0], 'ada'), customUserId: 'bob' }),
    'The user token belongs to another customUserId.',
  ],
])('%s registers nothing', async (_what, claim, detail) => {
  const deviceId = systemIds.uuid();

  const { status, problem } = await callSdk(api, 'devices', {
    method: 'POST',
    headers: app.headers,
    body: { deviceId, kind: 'none', ...claim() },
  });

  expect([status, problem.code, problem.detail]).toEqual([403, 'forbidden', detail]);
  expect(await readDevice(api.db.sql, { ...app, deviceId })).toBeNull();
});
