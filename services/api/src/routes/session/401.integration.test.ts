import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { purgeExpired } from '@tidings/accounts/members/purge-expired';
import { setPassword } from '@tidings/accounts/members/members';
import { SESSION_AGE_MAX_MS, SESSION_IDLE_MS } from '@tidings/accounts/members/sessions';
import { createOwnDatabase } from '@tidings/testing';
import { asPage, startTestApi } from '../../testing/test-api.ts';

// Hashing passwords takes long.
jest.setTimeout(30_000);

let nowMs = Date.now();
// Deletes all expired sessions.
const api = await startTestApi(
  { clock: { now: () => nowMs, monotonicMs: () => nowMs } },
  await createOwnDatabase(),
);
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, deps } = api;

const PASSWORD = 'correct horse battery staple';
const readSession = async (token: string) =>
  (await api.request('GET', 'session', { headers: asPage(token) })).status;

describe('POST session', () => {
  test('does not reveal what is wrong: responses are equal except for the request id', async () => {
    const { member } = await api.signIn('viewer');
    const withPassword = await api.signIn('viewer');
    await setPassword(db, withPassword.member.id, {
      passwordHash: await deps.passwords.hash(PASSWORD),
      endsSessions: false,
    });
    const wrong = [
      ['unregistered@example.com', PASSWORD],
      [member.email, PASSWORD],
      [withPassword.member.email, `${PASSWORD} `],
      [withPassword.member.email, ''],
      ['', ''],
      ['x'.repeat(1_000), 'x'.repeat(1_000)],
    ];

    const answers = await Promise.all(
      wrong.map(([email, password]) =>
        api.request('POST', 'session', { headers: {}, body: { email, password } }),
      ),
    );

    expect(answers.map(({ status, problem }) => [status, problem.code])).toEqual(
      wrong.map(() => [401, 'unauthenticated']),
    );
    expect(
      new Set(answers.map(({ problem }) => JSON.stringify({ ...problem, requestId: '' }))).size,
    ).toBe(1);
    expect(answers.flatMap(({ headers }) => headers.getSetCookie())).toEqual([]);
  });
});

describe('a session', () => {
  test('ends after 12 hours without use', async () => {
    const { token } = await api.signIn('viewer');
    nowMs += SESSION_IDLE_MS - 1;
    expect(await readSession(token)).toBe(200);
    nowMs += SESSION_IDLE_MS - 1;
    expect(await readSession(token)).toBe(200);

    nowMs += SESSION_IDLE_MS;

    expect(await readSession(token)).toBe(401);
  });

  test('ends after 7 days even if used, and is deleted', async () => {
    const { token, member } = await api.signIn('viewer');
    const endsAt = nowMs + SESSION_AGE_MAX_MS;
    for (; nowMs < endsAt; nowMs = Math.min(endsAt, nowMs + SESSION_IDLE_MS / 2))
      expect(await readSession(token)).toBe(200);

    expect(await readSession(token)).toBe(401);
    expect(await purgeExpired(db, { nowMs, limit: 1_000 })).toBeGreaterThan(0);
    expect(
      (await db.sql.query('select 1 from sessions where member_id = $1', [member.id])).rowCount,
    ).toBe(0);
  });

  test('ends with sign-out, and the cookie is cleared', async () => {
    const { token, headers } = await api.signIn('viewer');

    const out = await api.request('DELETE', 'session', { headers });

    expect(out.status).toBe(204);
    expect(out.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^tidings-sid=; Max-Age=0;/),
    ]);
    expect(await readSession(token)).toBe(401);
  });

  test.each([
    ['none', {}],
    ['an unknown one', asPage('x'.repeat(43))],
    ['one of 10 KB', asPage('x'.repeat(10_000))],
    ['an empty one', { Cookie: 'tidings-sid=' }],
  ])('%s: 401', async (_name, headers) => {
    expect((await api.request('GET', 'session', { headers })).problem.code).toBe('unauthenticated');
  });

  test('that has ended gets 401 on every endpoint, as does a page without one', async () => {
    for (const headers of [asPage('x'.repeat(43)), { 'Sec-Fetch-Site': 'same-origin' }]) {
      expect((await api.request('GET', 'campaigns', { headers })).status).toBe(401);
    }
  });
});
