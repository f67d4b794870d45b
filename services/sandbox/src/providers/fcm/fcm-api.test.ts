import { describe, expect, test } from '@jest/globals';
import { createSign } from 'node:crypto';
import { startTestSandbox, type TestSandbox } from '../../testing/test-sandbox.ts';
import type { ServiceAccount } from './service-account.ts';

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

async function exchange(
  { request }: TestSandbox,
  change: { readonly claims?: object; readonly grantType?: string } = {},
) {
  const account = (await (await request('GET', '/push/service-account')).json()) as ServiceAccount;
  const at = Math.floor(Date.now() / 1000);
  const claims = {
    iss: account.client_email,
    scope: 'https://www.googleapis.com/auth/firebase.messaging',
    aud: account.token_uri,
    iat: at,
    exp: at + 3_600,
    ...change.claims,
  };
  const signed = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded(claims)}`;
  const assertion = `${signed}.${createSign('sha256').update(signed).sign(account.private_key).toString('base64url')}`;
  return fetch(account.token_uri, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: change.grantType ?? 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    }),
  });
}

const MESSAGE = {
  token: 'phone-1',
  notification: { title: 'Hello', body: 'From the app' },
  data: { deliveryId: 'delivery-1', campaignId: 'campaign-1' },
  android: { ttl: '60s', collapse_key: 'delivery-1' },
};

async function send(
  sandbox: TestSandbox,
  message: object = MESSAGE,
  {
    token,
    project = 'tidings-sandbox',
  }: { readonly token?: string; readonly project?: string } = {},
) {
  const accessToken =
    token ?? ((await (await exchange(sandbox)).json()) as { access_token: string }).access_token;
  return fetch(`${sandbox.url}/v1/projects/${project}/messages:send`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ message }),
  });
}

describe('access tokens', () => {
  test('are issued for an assertion signed by the service account, also after a restart', async () => {
    await using first = await startTestSandbox();
    const answer = (await (await exchange(first)).json()) as { readonly access_token: string };
    expect(answer).toEqual({
      access_token: expect.stringMatching(/^ya29\./),
      expires_in: 3_600,
      token_type: 'Bearer',
    });
    await first.stop();

    await using second = await startTestSandbox({ dataDir: first.dataDir });

    expect((await send(second, MESSAGE, { token: answer.access_token })).status).toBe(200);
  });

  test.each([
    [
      'of another account',
      { claims: { iss: 'other@else.iam.gserviceaccount.com' } },
      'invalid_grant',
    ],
    [
      'for another address',
      { claims: { aud: 'https://oauth2.googleapis.com/token' } },
      'invalid_grant',
    ],
    ['that has expired', { claims: { exp: 1 } }, 'invalid_grant'],
    [
      'for something else',
      { claims: { scope: 'https://www.googleapis.com/auth/drive' } },
      'invalid_scope',
    ],
    ['of another kind', { grantType: 'password' }, 'unsupported_grant_type'],
  ])('are rejected for an assertion %s', async (_what, change, error) => {
    await using sandbox = await startTestSandbox();

    const answer = await exchange(sandbox, change);

    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ error })]);
  });
});

describe('a message', () => {
  test('is kept, with the ids in its data', async () => {
    await using sandbox = await startTestSandbox();

    const answer = await send(sandbox);

    expect([answer.status, await answer.json()]).toEqual([
      200,
      { name: expect.stringMatching(/^projects\/tidings-sandbox\/messages\/0:/) },
    ]);
    expect(
      await sandbox.messages('?channel=APP_PUSH&to=phone-1&campaignId=campaign-1'),
    ).toMatchObject({
      count: 1,
      messages: [
        {
          deliveryId: 'delivery-1',
          title: 'Hello',
          body: 'From the app',
          data: { token: 'phone-1', android: { ttl: '60s' } },
        },
      ],
    });
  });

  test('does not store the access token', async () => {
    await using sandbox = await startTestSandbox();

    await send(sandbox);

    expect(JSON.stringify(await sandbox.messages())).not.toContain('ya29.');
  });

  const fcmError = (errorCode: string) => ({
    '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
    errorCode,
  });
  const badRequest = {
    '@type': 'type.googleapis.com/google.rpc.BadRequest',
    fieldViolations: [expect.anything()],
  };
  test.each<[string, object, number, string, object[]]>([
    ['without a token', { ...MESSAGE, token: '' }, 400, 'INVALID_ARGUMENT', [badRequest]],
    [
      'to an invalid token',
      { ...MESSAGE, token: 'two words' },
      400,
      'INVALID_ARGUMENT',
      [fcmError('INVALID_ARGUMENT')],
    ],
    [
      'with a reserved key',
      { ...MESSAGE, data: { from: 'x' } },
      400,
      'INVALID_ARGUMENT',
      [badRequest],
    ],
    [
      'with data values that are not strings',
      { ...MESSAGE, data: { a: 1 } },
      400,
      'INVALID_ARGUMENT',
      [badRequest],
    ],
    [
      'with a ttl of more than 28 days',
      { ...MESSAGE, android: { ttl: '2419201s' } },
      400,
      'INVALID_ARGUMENT',
      [badRequest],
    ],
    [
      'with a collapse id that is too long',
      { ...MESSAGE, apns: { headers: { 'apns-collapse-id': 'x'.repeat(65) } } },
      400,
      'INVALID_ARGUMENT',
      [badRequest],
    ],
    [
      'beyond 4,096 bytes',
      { ...MESSAGE, data: { a: 'x'.repeat(4_096) } },
      400,
      'INVALID_ARGUMENT',
      [fcmError('INVALID_ARGUMENT')],
    ],
  ])('%s is rejected and not stored', async (_what, message, status, rpcStatus, details) => {
    await using sandbox = await startTestSandbox();

    const answer = await send(sandbox, message);

    expect([answer.status, await answer.json()]).toEqual([
      status,
      { error: { code: status, message: expect.any(String), status: rpcStatus, details } },
    ]);
    expect((await sandbox.counts()).total).toBe(0);
  });

  test('with an unknown access token is 401, for another project 403', async () => {
    await using sandbox = await startTestSandbox();

    expect((await send(sandbox, MESSAGE, { token: 'ya29.9999999999.AAAA' })).status).toBe(401);
    expect((await send(sandbox, MESSAGE, { project: 'other' })).status).toBe(403);
  });

  test('to an unregistered phone is UNREGISTERED, also after a restart', async () => {
    await using first = await startTestSandbox();
    expect((await first.request('DELETE', '/push/tokens/phone-1')).status).toBe(204);
    expect((await send(first)).status).toBe(404);
    await first.stop();

    await using second = await startTestSandbox({ dataDir: first.dataDir });
    const answer = await send(second);

    expect([answer.status, await answer.json()]).toEqual([
      404,
      {
        error: expect.objectContaining({
          status: 'NOT_FOUND',
          details: [fcmError('UNREGISTERED')],
        }),
      },
    ]);
    expect((await send(second, { ...MESSAGE, token: 'phone-2' })).status).toBe(200);
  });
});

describe('faults', () => {
  test.each<[object, number, string, string | null]>([
    [{ kind: 'reject' }, 404, 'UNREGISTERED', null],
    [{ kind: 'reject', code: 'INVALID_ARGUMENT' }, 400, 'INVALID_ARGUMENT', null],
    [{ kind: 'reject', code: 'SENDER_ID_MISMATCH' }, 403, 'SENDER_ID_MISMATCH', null],
    [{ kind: 'status', status: 400 }, 400, 'BadRequest', null],
    [
      { kind: 'status', status: 401, code: 'THIRD_PARTY_AUTH_ERROR' },
      401,
      'THIRD_PARTY_AUTH_ERROR',
      null,
    ],
    [{ kind: 'status', status: 401 }, 401, 'UNAUTHENTICATED', null],
    [{ kind: 'status', status: 403 }, 403, 'PERMISSION_DENIED', null],
    [{ kind: 'status', status: 429, retryAfterSeconds: 7 }, 429, 'QUOTA_EXCEEDED', '7'],
    [{ kind: 'status', status: 500 }, 500, 'INTERNAL', null],
    [{ kind: 'status', status: 503 }, 503, 'UNAVAILABLE', null],
  ])('%j rejects, and nothing is stored', async (fault, status, word, retryAfter) => {
    await using sandbox = await startTestSandbox();
    await sandbox.request('POST', '/api/faults', { channel: 'APP_PUSH', rate: 1, ...fault });

    const answer = await send(sandbox);

    expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([
      status,
      retryAfter,
      expect.stringContaining(word),
    ]);
    expect((await sandbox.counts()).total).toBe(0);
  });

  test.each([
    ['drop_reply', 1],
    ['reset', 0],
  ])('%s sends no response; stored: %i', async (kind, kept) => {
    await using sandbox = await startTestSandbox();
    await sandbox.request('POST', '/api/faults', { channel: 'APP_PUSH', rate: 1, kind });

    await expect(send(sandbox)).rejects.toThrow();

    expect((await sandbox.counts('?channel=APP_PUSH')).total).toBe(kept);
  });
});
