import { afterAll, expect, jest, test } from '@jest/globals';
import { setPassword } from '@tidings/db';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

// A password takes a while, and these are many.
jest.setTimeout(30_000);

let nowMs = Date.now();
const dashboard = await startTestDashboard({ clock: { now: () => nowMs, monotonicMs: () => nowMs }, trustedProxies: ['127.0.0.1'] });
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { db, deps } = dashboard;

const PASSWORD = 'correct horse battery staple';

async function newAccount(): Promise<string> {
  const { member } = await dashboard.signIn('viewer');
  await setPassword(db, member.id, { passwordHash: await deps.passwords.hash(PASSWORD), endsSessions: false });
  return member.email;
}

const signIn = async (email: string, password: string, from = '203.0.113.5') => {
  const { status, headers } = await dashboard.request('POST', 'session', { headers: { 'X-Forwarded-For': from }, body: { email, password } });
  return status === 429 ? Number(headers.get('retry-after')) : status;
};

test('S38 after five failures each further one doubles the wait, and the right password must wait too', async () => {
  const email = await newAccount();
  for (let guess = 1; guess <= 5; guess += 1) expect(await signIn(email, `guess ${guess}`)).toBe(401);

  for (const waitSeconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
    expect(await signIn(email, PASSWORD)).toBe(waitSeconds);
    nowMs += waitSeconds * 1000 - 1;
    expect(await signIn(email.toUpperCase(), PASSWORD)).toBe(1);
    nowMs += 1;
    expect(await signIn(email, 'another guess')).toBe(401);
  }
  // Whose account it is signs in from elsewhere all the same.
  expect(await signIn(email, PASSWORD, '198.51.100.7')).toBe(200);
  nowMs += 900_000;
  expect(await signIn(email, PASSWORD)).toBe(200);
  expect(await signIn(email, 'a slip')).toBe(401);
  expect(await signIn(email, PASSWORD)).toBe(200);
});

test('S38 guesses at the same time are as many as one after the other', async () => {
  const email = await newAccount();

  const answers = await Promise.all(Array.from({ length: 20 }, (_, guess) => signIn(email, `guess ${guess}`)));

  expect(answers.filter((answer) => answer === 401)).toHaveLength(5);
});

test('S38 an IPv6 network that one caller has all of is one address', async () => {
  const email = await newAccount();
  for (let guess = 1; guess <= 5; guess += 1) await signIn(email, 'guess', `2001:db8:1:2::${guess}`);

  expect(await signIn(email, PASSWORD, '2001:db8:1:2:3::9')).toBe(1);
  expect(await signIn(email, PASSWORD, '2001:db8:1:3::9')).toBe(200);
});
