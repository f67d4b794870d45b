import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Database, Sql } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createTestApplication,
  eventually,
  ingestRecord,
} from '@tidings/testing';
import { resolveIdentities } from './identities.ts';
import { addMailboxKeys } from './mailbox-keys.ts';
import { applyUserUpdates } from './profiles.ts';
import {
  addSuppression,
  deleteSuppression,
  listSuppressions,
  unsuppressAddress,
} from './suppressions.ts';

let db: Database;
beforeAll(async () => {
  db = await createOwnDatabase();
});
afterAll(() => db.close());

/** As the version before writes them. */
async function writeAsBefore(
  applicationId: string,
  emails: readonly string[],
  suppressed: readonly string[] = [],
): Promise<void> {
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at, fields)
     select uuidv7(), $1, n::text, now(), jsonb_build_object('email', email)
     from unnest($2::text[]) with ordinality as x(email, n)
     on conflict (application_id, custom_user_id) do update set fields = excluded.fields`,
    [applicationId, emails],
  );
  await db.sql.query(
    `insert into suppressions (application_id, channel, address, reason)
     select $1, 'EMAIL', lower(address), 'unsubscribed' from unnest($2::text[]) as address`,
    [applicationId, suppressed],
  );
}

async function keys(applicationId: string): Promise<readonly (string | null)[]> {
  const { rows } = await db.sql.query<{ key: string | null }>(
    `select case mailbox_spelling when email_key then mailbox_key end as key
     from users where application_id = $1 order by custom_user_id::int`,
    [applicationId],
  );
  return rows.map(({ key }) => key);
}

async function addAll(limit: number): Promise<number> {
  let steps = 1;
  while (await addMailboxKeys(db, limit)) steps += 1;
  return steps;
}

describe('keys of mailboxes', () => {
  test('who subscribes again while a suppression gets its key is not suppressed by the key', async () => {
    const { applicationId } = await createTestApplication(db);
    const address = 'dora@münchen.example';
    await writeAsBefore(applicationId, [], [address]);
    const written = Promise.withResolvers<void>();
    const committing = Promise.withResolvers<void>();
    const slow = {
      ...db,
      transaction: <T>(work: (sql: Sql) => Promise<T>) =>
        db.transaction(async (sql) => {
          const result = await work(sql);
          written.resolve();
          await committing.promise;
          return result;
        }),
    };

    const job = addMailboxKeys(slow, 1_000);
    await written.promise;
    const lifting = unsuppressAddress(db.sql, {
      applicationId,
      channel: 'EMAIL',
      address,
      reason: 'unsubscribed',
    });
    await eventually(async () => {
      const { rows } = await db.sql.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%suppressions%'`,
      );
      expect(rows).toHaveLength(1);
    });
    committing.resolve();
    await Promise.all([job, lifting]);

    expect(await listSuppressions(db, applicationId, { limit: 10 })).toEqual([]);
  });

  test('are added to what an earlier version wrote, in short steps, where the address needs one', async () => {
    const { applicationId } = await createTestApplication(db);
    await writeAsBefore(
      applicationId,
      ['Ada@example.org', 'bob@MÜNCHEN.example', ' carl@example.org', 'ü', 'ä@x y'],
      ['ada@example.org', 'bob@münchen.example', 'eve@köln.example'],
    );

    expect(await addAll(2)).toBe(3);

    expect(await keys(applicationId)).toEqual([
      null,
      'bob@xn--mnchen-3ya.example',
      'carl@example.org',
      'ü',
      'ä@x y',
    ]);
    const { rows } = await db.sql.query(
      'select address, mailbox_key as key from suppressions where application_id = $1 order by address',
      [applicationId],
    );
    expect(rows).toEqual([
      { address: 'ada@example.org', key: null },
      { address: 'bob@münchen.example', key: 'bob@xn--mnchen-3ya.example' },
      { address: 'bob@xn--mnchen-3ya.example', key: null },
      { address: 'eve@köln.example', key: 'eve@xn--kln-sna.example' },
      { address: 'eve@xn--kln-sna.example', key: null },
    ]);
    expect(await addAll(2)).toBe(1);
  });

  test('follow a change that an earlier version makes later', async () => {
    const { applicationId } = await createTestApplication(db);
    await writeAsBefore(applicationId, ['ada@münchen.example', 'bob@köln.example']);
    await addAll(10);
    await writeAsBefore(applicationId, ['ada@köln.example', 'bob@example.org']);
    expect(await keys(applicationId)).toEqual([null, null]);

    await addAll(10);

    expect(await keys(applicationId)).toEqual(['ada@xn--kln-sna.example', null]);
  });

  test('that are missing are found through an index of them alone', async () => {
    const { applicationId } = await createTestApplication(db);
    await db.sql.query(
      `insert into users (id, application_id, custom_user_id, registered_at, fields)
       select uuidv7(), $1, n::text, now(), '{"email": "ada@example.org"}' from generate_series(1, 5000) as n`,
      [applicationId],
    );
    await db.sql.query('analyze users, suppressions');

    const read = await db.transaction(async (sql) => {
      const count = 'select pg_stat_get_xact_tuples_returned($1::regclass)::int as n';
      const before = await sql.query<{ n: number }>(count, ['users']);
      await sql.query(
        `select id from users where email_key ~ '[^!-~]' and mailbox_spelling is distinct from email_key
         order by id limit 500 for no key update skip locked`,
      );
      const after = await sql.query<{ n: number }>(count, ['users']);
      return (after.rows[0]?.n ?? 0) - (before.rows[0]?.n ?? 0);
    });

    expect(read).toBe(0);
  });

  test('are written with the profile', async () => {
    const { applicationId } = await createTestApplication(db);
    const update = (email: string | null, time: number) =>
      db.transaction(async (sql) => {
        const record = ingestRecord({ applicationId, customUserId: '1' });
        const identity = (await resolveIdentities(sql, [record])).get(record.requestId);
        await applyUserUpdates(sql, [
          {
            userId: String(identity?.userId),
            receivedAt: time,
            keyType: 'server',
            isProved: true,
            messageId: `m${time}`,
            time,
            update: { email },
            registers: true,
          },
        ]);
      });

    await update('ada@MÜNCHEN.example', 1);
    expect(await keys(applicationId)).toEqual(['ada@xn--mnchen-3ya.example']);
    await update('ada@example.org', 2);
    expect(await keys(applicationId)).toEqual([null]);
    await update(' ada@example.org', 3);
    expect(await keys(applicationId)).toEqual(['ada@example.org']);
    await update(null, 4);
    expect(await keys(applicationId)).toEqual([null]);
    expect(await addAll(10)).toBe(1);
  });
});

test('an administrator finds and deletes a suppressed mailbox by any spelling', async () => {
  const { applicationId } = await createTestApplication(db);
  const own = { applicationId, channel: 'EMAIL', reason: 'unsubscribed' } as const;
  const spellings = ['ada@münchen.example', 'ada@xn--mnchen-3ya.example', 'Ａda@MÜNCHEN.example'];
  await writeAsBefore(applicationId, [], spellings);
  const list = async (address?: string) =>
    (
      await listSuppressions(db, applicationId, {
        limit: 10,
        ...(address !== undefined && { address }),
      })
    ).map((row) => row.address);
  await addAll(10);
  for (const address of [...spellings, undefined])
    expect(await list(address)).toEqual(['ada@xn--mnchen-3ya.example']);

  const found = await addSuppression(db, { ...own, address: 'ada@MU\u0308NCHEN.example' });
  expect(found.address).toBe('ada@xn--mnchen-3ya.example');
  expect(await deleteSuppression(db, applicationId, found.id)).toBe(true);

  const { rows } = await db.sql.query('select 1 from suppressions where application_id = $1', [
    applicationId,
  ]);
  expect(rows).toEqual([]);
  expect(await deleteSuppression(db, applicationId, found.id)).toBe(false);
});

test('a suppression of the version before is listed before it has a key', async () => {
  const { applicationId } = await createTestApplication(db);
  await writeAsBefore(applicationId, [], ['ada@münchen.example']);
  const page = { limit: 10, address: 'Ada@MÜNCHEN.example' };

  expect(await listSuppressions(db, applicationId, page)).toMatchObject([
    { address: 'ada@münchen.example' },
  ]);
});
