import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createTestApplication,
  ingestRecord,
  registerUsers,
  untilBlockedBy,
} from '@tidings/testing';
import { updateApplication } from './update-application.ts';
import { resolveIdentities } from './identities.ts';
import { normalizePhoneNumbers } from './phone-normalization.ts';
import { applyUserUpdates } from './profiles.ts';

let db: Database;
beforeAll(async () => {
  db = await createOwnDatabase();
});
afterAll(() => db.close());

async function numbers(applicationId: string): Promise<Record<string, string | null>> {
  const { rows } = await db.sql.query<{ id: string; e164: string | null }>(
    'select custom_user_id as id, phone_e164 as e164 from users where application_id = $1 order by 1',
    [applicationId],
  );
  return Object.fromEntries(rows.map(({ id, e164 }) => [id, e164]));
}

async function normalizeAll(limit = 2): Promise<number> {
  let steps = 0;
  while (await normalizePhoneNumbers(db, limit)) steps += 1;
  return steps;
}

const change = (applicationId: string, defaultCountry: string | null) =>
  updateApplication(db, applicationId, { settings: { defaultCountry } });

describe('after a change of the default country', () => {
  test('numbers without a country code get the new country, in short steps; others stay', async () => {
    const { applicationId } = await createTestApplication(db);
    const other = await createTestApplication(db);
    const users = {
      a: { phoneNumber: '030 123456' },
      b: { phoneNumber: '030123456' },
      c: { phoneNumber: '+1 201 555 0123' },
      d: {},
      e: { phoneNumber: 'x' },
      f: { phoneNumber: '030 1234567' },
    };
    for (const id of [applicationId, other.applicationId]) await registerUsers(db, id, users);
    await db.sql.query("update users set phone_e164 = '+12015550123' where custom_user_id = 'c'");

    await change(applicationId, 'DE');
    expect(await normalizeAll()).toBe(3);
    expect(await numbers(applicationId)).toEqual({
      a: '+4930123456',
      b: '+4930123456',
      c: '+12015550123',
      d: null,
      e: null,
      f: '+49301234567',
    });

    await change(applicationId, null);
    await normalizeAll();
    expect(await numbers(applicationId)).toEqual({
      a: null,
      b: null,
      c: '+12015550123',
      d: null,
      e: null,
      f: null,
    });
    expect(await numbers(other.applicationId)).toEqual({
      a: null,
      b: null,
      c: '+12015550123',
      d: null,
      e: null,
      f: null,
    });
  });

  test('another setting starts nothing, and no user is visited twice', async () => {
    const { applicationId } = await createTestApplication(db);
    await change(applicationId, 'DE');
    await normalizeAll();

    await updateApplication(db, applicationId, {
      name: 'renamed',
      settings: { defaultCountry: 'DE', sendUntested: true },
    });

    expect(await normalizeAll()).toBe(0);
  });

  test('a second change starts again at the first user', async () => {
    const { applicationId } = await createTestApplication(db);
    await registerUsers(
      db,
      applicationId,
      Object.fromEntries(['a', 'b', 'c', 'd'].map((id) => [id, { phoneNumber: '030 123456' }])),
    );
    await change(applicationId, 'DE');
    await normalizePhoneNumbers(db, 2);

    await change(applicationId, 'FR');
    await normalizeAll();

    expect(new Set(Object.values(await numbers(applicationId)))).toEqual(
      new Set([(await numbers(applicationId))['a']]),
    );
    expect((await numbers(applicationId))['a']).not.toBe('+4930123456');
  });

  test('a consumer that read the old country is waited for, and its new user is normalised too', async () => {
    const { applicationId } = await createTestApplication(db);

    const { normalizing } = await db.transaction(async (sql) => {
      const record = ingestRecord({ applicationId, customUserId: 'new' });
      const identity = (await resolveIdentities(sql, [record])).get(record.requestId);
      const userId = String(identity?.userId);
      await applyUserUpdates(sql, [
        {
          userId,
          receivedAt: 1,
          keyType: 'server',
          isProved: true,
          messageId: 'm',
          time: 1,
          update: { phoneNumber: '030 123456' },
          registers: true,
        },
      ]);
      await change(applicationId, 'DE');
      const waiting = normalizeAll();
      await untilBlockedBy(db, sql);
      return { normalizing: waiting };
    });
    await normalizing;

    expect(await numbers(applicationId)).toEqual({ new: '+4930123456' });
  });
});
