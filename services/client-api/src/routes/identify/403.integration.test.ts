import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import { readDevice } from '@tidings/people/devices/devices';
import { createSecretBox } from '@tidings/platform';
import { testSecretBox } from '@tidings/testing';
import {
  callSdk,
  createSdkApplication,
  createTestDevice,
  type SdkApplication,
} from '../../testing/sdk-application.ts';
import { inSeconds, signToken, tokenOf } from '../../testing/sign-token.ts';
import { startTestClientApi } from '../../testing/test-client-api.ts';

const api = await startTestClientApi();
const { db } = api;
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

let app: SdkApplication;
let secret: string;
let secretOfAnother: string;
beforeAll(async () => {
  const make = async ({ applicationId }: SdkApplication) =>
    (await rotateUserTokenSecret(db, testSecretBox, applicationId))?.secret ?? '';
  app = await createSdkApplication(db);
  secret = await make(app);
  secretOfAnother = await make(await createSdkApplication(db));
});

test.each<[string, () => object, string]>([
  [
    'a bare customUserId',
    () => ({ customUserId: 'ada' }),
    'This application requires a user token for a customUserId.',
  ],
  [
    'a token of another application',
    () => ({ userToken: tokenOf(secretOfAnother, 'ada') }),
    'The user token is invalid.',
  ],
  [
    'an unsigned token',
    () => ({
      userToken: signToken(secret, { sub: 'ada', exp: inSeconds(60) }, { header: { alg: 'none' } }),
    }),
    'The user token is invalid.',
  ],
  [
    'a token that ended',
    () => ({ userToken: signToken(secret, { sub: 'ada', exp: inSeconds(-120) }) }),
    'The user token has expired.',
  ],
  [
    'a token that lives too long',
    () => ({ userToken: signToken(secret, { sub: 'ada', exp: inSeconds(90_000) }) }),
    'The exp claim of the user token is more than 24 h ahead.',
  ],
  [
    'another user than its token',
    () => ({ userToken: tokenOf(secret, 'ada'), customUserId: 'bob' }),
    'The user token belongs to another customUserId.',
  ],
])('%s is rejected', async (_what, claim, detail) => {
  const device = await createTestDevice(db, app);

  const { status, problem } = await callSdk(api, 'identify', {
    method: 'POST',
    headers: app.headers,
    body: { deviceId: device.deviceId, ...claim() },
  });

  expect([status, problem.code, problem.detail]).toEqual([403, 'forbidden', detail]);
  expect(await readDevice(db.sql, device)).toEqual(device);
});

test('a secret encrypted with another key, or copied from another row, is not accepted', async () => {
  const [moved, sealed] = [await createSdkApplication(db), await createSdkApplication(db)];
  await db.sql.query(
    'insert into user_token_secrets (application_id, sealed_secrets) select $1, sealed_secrets from user_token_secrets where application_id = $2',
    [moved.applicationId, app.applicationId],
  );
  const ofOtherKey = await rotateUserTokenSecret(
    db,
    createSecretBox('another key for tests, also of 32 characters'),
    sealed.applicationId,
  );

  for (const [{ headers, applicationId }, one] of [
    [moved, secret],
    [sealed, ofOtherKey?.secret ?? ''],
  ] as const) {
    const { deviceId } = await createTestDevice(db, { applicationId });
    expect(
      (
        await callSdk(api, 'identify', {
          method: 'POST',
          headers,
          body: { deviceId, userToken: tokenOf(one, 'ada') },
        })
      ).status,
    ).toBe(403);
  }
});

test('the stored ciphertext is not a valid secret', async () => {
  const { rows } = await db.sql.query<{ row: string }>(
    'select user_token_secrets::text as row from user_token_secrets where application_id = $1',
    [app.applicationId],
  );

  expect(rows[0]?.row).not.toContain(secret.slice(3));
});
