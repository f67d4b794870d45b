import { afterAll, expect, test } from '@jest/globals';
import { readUserTokenSecrets } from '@tidings/accounts/user-token-secrets';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test.each(['Shop', '👩‍👩‍👧', 'x'.repeat(200)])(
  'POST applications creates an application named %j',
  async (name) => {
    const { status, body } = await api.request('POST', 'applications', {
      headers: api.asAdmin,
      body: { name },
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      applicationId: expect.any(String),
      name,
      settings: {},
      createdAt: expect.any(Number),
    });
    expect(
      (
        await api.request('GET', `applications/${String(body['applicationId'])}`, {
          headers: api.asAdmin,
        })
      ).body,
    ).toEqual(body);
  },
);

test('POST applications takes the time zone of its days', async () => {
  const { status, body } = await api.request<{ settings: object }>('POST', 'applications', {
    headers: api.asAdmin,
    body: { name: 'Shop', timeZone: 'Europe/Berlin' },
  });

  expect([status, body.settings]).toEqual([201, { timeZone: 'Europe/Berlin' }]);
});

test('POST applications/{id}/user-token-secret creates a secret, shown once; the previous one stays valid for a while', async () => {
  const { deps, db, tenant } = api;
  const rotate = () =>
    api.request<{ readonly secret: string; readonly previousSecretUntil: number | null }>(
      'POST',
      `applications/${tenant.applicationId}/user-token-secret`,
      { headers: api.asAdmin },
    );
  const live = () => readUserTokenSecrets(db, deps.box, tenant.applicationId);

  const [first, second, third] = [await rotate(), await rotate(), await rotate()];

  expect([first.status, first.body]).toEqual([
    201,
    { secret: expect.stringMatching(/^ut_[0-9A-Za-z]{40}$/), previousSecretUntil: null },
  ]);
  expect(second.body.previousSecretUntil).toBeGreaterThan(Date.now() + 24 * 3_600_000);
  expect(new Set([first, second, third].map(({ body }) => body.secret)).size).toBe(3);
  expect(await live()).toEqual([third.body.secret, second.body.secret]);
  await db.sql.query(
    "update user_token_secrets set previous_secret_until = now() - interval '1 second' where application_id = $1",
    [tenant.applicationId],
  );
  expect(await live()).toEqual([third.body.secret]);
});
