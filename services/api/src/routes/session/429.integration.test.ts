import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { setPassword } from '@tidings/accounts/members/members';
import {
  buildKeys,
  refundAttempt,
  recordAttempt,
} from '@tidings/accounts/members/sign-in-attempts';
import { AppError, systemIds } from '@tidings/platform';
import { startTestApi } from '../../testing/test-api.ts';

// Hashing passwords takes long.
jest.setTimeout(120_000);

let nowMs = Date.now();
const api = await startTestApi({
  clock: { now: () => nowMs, monotonicMs: () => nowMs },
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, deps } = api;

const PASSWORD = 'correct horse battery staple';
const passwordHash = await deps.passwords.hash(PASSWORD);

async function newAccount(): Promise<string> {
  const { member } = await api.signIn('viewer');
  await setPassword(db, member.id, { passwordHash, endsSessions: false });
  return member.email;
}

const signIn = async (email: string, password: string, from = '203.0.113.5') => {
  const { status, headers } = await api.request('POST', 'session', {
    headers: { 'X-Forwarded-For': from },
    body: { email, password },
  });
  return status === 429 ? Number(headers.get('retry-after')) : status;
};

test('after five failures each further one doubles the wait, also for the correct password', async () => {
  const email = await newAccount();
  for (let guess = 1; guess <= 5; guess += 1)
    expect(await signIn(email, `guess ${guess}`)).toBe(401);

  for (const waitSeconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
    expect(await signIn(email, PASSWORD)).toBe(waitSeconds);
    nowMs += waitSeconds * 1000 - 1;
    expect(await signIn(email.toUpperCase(), PASSWORD)).toBe(1);
    nowMs += 1;
    expect(await signIn(email, 'another guess')).toBe(401);
  }
  // The account's owner can still sign in from elsewhere.
  expect(await signIn(email, PASSWORD, '198.51.100.7')).toBe(200);
  nowMs += 900_000;
  expect(await signIn(email, PASSWORD)).toBe(200);
  expect(await signIn(email, 'a slip')).toBe(401);
  expect(await signIn(email, PASSWORD)).toBe(200);
});

test('concurrent attempts count like sequential ones', async () => {
  const email = await newAccount();

  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, guess) => signIn(email, `guess ${guess}`)),
  );

  expect(answers.filter((answer) => answer === 401)).toHaveLength(5);
});

test('an IPv6 /64 counts as one address', async () => {
  const email = await newAccount();
  for (let guess = 1; guess <= 5; guess += 1)
    await signIn(email, 'guess', `2001:db8:1:2::${guess}`);

  expect(await signIn(email, PASSWORD, '2001:db8:1:2:3::9')).toBe(1);
  expect(await signIn(email, PASSWORD, '2001:db8:1:3::9')).toBe(200);
});

describe('attempts are counted', () => {
  /** Wrong attempts, without hashing passwords. */
  const fail = async (
    times: number,
    place: { readonly email?: string; readonly addressBlock?: string },
  ): Promise<(number | null)[]> => {
    const waits: (number | null)[] = [];
    for (let at = 0; at < times; at += 1)
      waits.push(
        await recordAttempt(
          db,
          {
            email: `${systemIds.uuid()}@example.com`,
            addressBlock: `of ${systemIds.uuid()}`,
            ...place,
          },
          nowMs,
        ),
      );
    return waits;
  };
  const ADDRESS = '192.0.2.44';

  test('per address: after fifty for any accounts, but not against members who signed in from there', async () => {
    const [regular, other] = [await newAccount(), await newAccount()];
    expect(await signIn(regular, PASSWORD, ADDRESS)).toBe(200);

    const waits = await fail(51, { addressBlock: ADDRESS });

    expect(waits).toEqual([...Array.from({ length: 50 }, () => null), 1_000]);
    expect(await signIn(other, PASSWORD, ADDRESS)).toBe(1);
    expect(await signIn(other, PASSWORD, '192.0.2.45')).toBe(200);
    expect(await signIn(regular, PASSWORD, ADDRESS)).toBe(200);
    expect(await signIn(other, PASSWORD, ADDRESS)).toBe(1);
  });

  test('per account: after a hundred from anywhere, up to 30 s, but not where its owner has signed in', async () => {
    const email = await newAccount();
    expect(await signIn(email, PASSWORD, '192.0.2.51')).toBe(200);

    const waits = await fail(101, { email });

    expect(waits).toEqual([...Array.from({ length: 100 }, () => null), 1_000]);
    expect(await signIn(email, PASSWORD, '192.0.2.52')).toBe(1);
    expect(await signIn(email.toUpperCase(), PASSWORD, '192.0.2.51')).toBe(200);
    for (let guesses = 0; guesses < 9; guesses += 1) {
      nowMs += 30_000;
      expect(await fail(1, { email })).toEqual([null]);
    }
    expect(await fail(1, { email })).toEqual([30_000]);
  });

  test('with a clock reading older than that of earlier attempts', async () => {
    const place = { email: await newAccount(), addressBlock: '192.0.2.71' };
    const take = (earlierByMs: number) => recordAttempt(db, place, nowMs - earlierByMs);
    const waits: (number | null)[] = [];
    for (let guess = 0; guess < 6; guess += 1) waits.push(await take(guess));

    expect(waits).toEqual([null, null, null, null, null, 1_001]);
    nowMs += 900_000;
    expect(await signIn(place.email, PASSWORD, place.addressBlock)).toBe(200);
    expect(await take(2)).toBeNull();
    await refundAttempt(db, place, nowMs - 2);
    expect(await take(3)).toBeNull();
  });

  test('also with sign-ins to an own account in between', async () => {
    const own = await newAccount();
    const address = '192.0.2.61';
    await fail(49, { addressBlock: address });

    expect(await signIn(own, PASSWORD, address)).toBe(200);
    expect(await fail(1, { addressBlock: address })).toEqual([null]);
    expect(await signIn(own, PASSWORD, address)).toBe(200);

    expect(await fail(1, { addressBlock: address })).toEqual([1_000]);
  });

  test('but not when the response is 503', async () => {
    let isRoom = false;
    const passwords = {
      ...deps.passwords,
      check: (password: string, hash: string | null) =>
        isRoom
          ? deps.passwords.check(password, hash)
          : Promise.reject(
              new AppError('unavailable', 'Too many sign-ins right now. Retry shortly.', {
                retryAfterSeconds: 2,
              }),
            ),
    };
    await using crowded = await startTestApi({ ...deps, passwords });
    const email = await newAccount();
    const attempt = async (password: string) =>
      (await crowded.request('POST', 'session', { headers: {}, body: { email, password } })).status;

    expect(await Promise.all(Array.from({ length: 5 }, () => attempt(PASSWORD)))).toEqual([
      503, 503, 503, 503, 503,
    ]);
    for (let again = 0; again < 10; again += 1) expect(await attempt(PASSWORD)).toBe(503);
    isRoom = true;

    expect(await attempt('a slip')).toBe(401);
    expect(await attempt(PASSWORD)).toBe(200);
  });
});

describe('a blocked address', () => {
  test('creates no row per tried account', async () => {
    const addressBlock = '192.0.2.81';
    for (let guess = 0; guess < 51; guess += 1)
      await recordAttempt(db, { email: `${systemIds.uuid()}@example.com`, addressBlock }, nowMs);
    const emails = Array.from({ length: 20 }, () => `${systemIds.uuid()}@example.com`);

    for (const email of emails)
      expect(await signIn(email, 'guess', addressBlock)).toBeGreaterThan(0);

    const keys = emails.map((email) => buildKeys({ email, addressBlock }));
    const { rows } = await db.sql.query('select key from sign_in_failures where key = any($1)', [
      keys.flatMap(({ source, account }) => [source, account]),
    ]);
    expect(rows).toEqual([]);
    // Without the block each try has these keys.
    const free = { email: `${systemIds.uuid()}@example.com`, addressBlock: '192.0.2.82' };
    await recordAttempt(db, free, nowMs);
    const { source, account } = buildKeys(free);
    expect(
      (
        await db.sql.query('select key from sign_in_failures where key = any($1)', [
          [source, account],
        ])
      ).rows,
    ).toHaveLength(2);
  });

  test('accepts a member who used a link there before', async () => {
    const address = '192.0.2.91';
    const owner = await api.signIn('owner');
    const invited = await api.request<{ email: string; invitationUrl: string }>('POST', 'members', {
      headers: owner.headers,
      body: { email: `${systemIds.uuid()}@example.com`, name: 'Ada', role: 'viewer' },
    });
    const token = new URL(invited.body.invitationUrl).hash.split('=').at(-1);
    const accepted = await api.request('POST', 'session/invitation', {
      headers: { 'X-Forwarded-For': address },
      body: { token, name: 'Ada', password: PASSWORD },
    });
    expect(accepted.status).toBe(200);

    for (let guess = 0; guess < 51; guess += 1)
      await recordAttempt(
        db,
        { email: `${systemIds.uuid()}@example.com`, addressBlock: address },
        nowMs,
      );

    expect(await signIn(await newAccount(), PASSWORD, address)).not.toBe(200);
    expect(await signIn(invited.body.email, PASSWORD, address)).toBe(200);
  });
});
