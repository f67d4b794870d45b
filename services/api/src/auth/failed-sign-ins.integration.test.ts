import { afterAll, afterEach, expect, test } from '@jest/globals';
import { listAuditEntries } from '@tidings/accounts/audit-log';
import { setPassword } from '@tidings/accounts/members/members';
import { systemClock, systemIds } from '@tidings/platform';
import { createOwnDatabase, createRecordingLogger } from '@tidings/testing';
import { startTestApi } from '../testing/test-api.ts';
import { createFailedSignIns } from './failed-sign-ins.ts';

// Locks the audit table.
const db = await createOwnDatabase();
const { logger, lines } = createRecordingLogger();
const failedSignIns = createFailedSignIns(
  { db, clock: systemClock, ids: systemIds, logger },
  { writingMax: 3 },
);
const api = await startTestApi({ failedSignIns }, db);
afterEach(() => failedSignIns.drain());
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

const signIn = async (email: string) =>
  (
    await api.request('POST', 'session', {
      headers: {},
      body: { email, password: 'a guess' },
    })
  ).status;
const newAccount = async () => {
  const { member } = await api.signIn('viewer');
  await setPassword(db, member.id, {
    passwordHash: await api.deps.passwords.hash('correct horse battery staple'),
    endsSessions: false,
  });
  return member;
};
const entries = async () =>
  (await listAuditEntries(db, { limit: 10, action: 'POST session' })).map(
    ({ memberId, status }) => ({ memberId, status }),
  );

test('the response never waits for the entry, of a member or not; with too many writes in progress there is no entry', async () => {
  const [first, second] = [await newAccount(), await newAccount()];

  await db.transaction(async (sql) => {
    await sql.query('lock table audit_entries in exclusive mode');
    for (const email of [first.email, 'unknown@example.com', second.email])
      expect(await signIn(email)).toBe(401);
    expect(lines).toEqual([]);
    expect(await signIn(first.email)).toBe(401);
  });
  await failedSignIns.drain();

  expect(await entries()).toEqual(
    expect.arrayContaining(
      [first.id, undefined, second.id].map((memberId) => ({ memberId, status: 401 })),
    ),
  );
  expect(await entries()).toHaveLength(3);
  expect(lines).toMatchObject([
    { level: 'warn', msg: 'failed sign-in not recorded: too many writes in progress' },
  ]);
});

test('a failed write is logged, and the response is the same', async () => {
  await db.sql.query('alter table audit_entries rename to audit_entries_away');
  try {
    expect(await signIn((await newAccount()).email)).toBe(401);
    await failedSignIns.drain();
  } finally {
    await db.sql.query('alter table audit_entries_away rename to audit_entries');
  }

  expect(lines.at(-1)).toMatchObject({ level: 'warn', msg: 'could not record a failed sign-in' });
});
