import { afterAll, expect, jest, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import { createOwnDatabase, createTestApplication } from '@tidings/testing';
import { searchUsers } from './search-users.ts';

// Its own database: rows of other tests would change the statistics of the planner.
jest.setTimeout(60_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

type Plan = {
  readonly 'Node Type': string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
};

/** Rows read by the nodes of a plan, including filtered ones. */
function rowsRead(plan: Plan): number {
  const own = plan['Node Type'].includes('Scan')
    ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
    : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), own);
}

/** A database wrapper that sums up the rows read by its statements. */
function counting(): { readonly counted: Database; read(): number } {
  let read = 0;
  const query = async (text: string, values: unknown[]) => {
    const { rows } = await db.sql.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
      `explain (analyze, format json) ${text}`,
      values,
    );
    read += rowsRead(rows[0]?.['QUERY PLAN'][0].Plan as Plan);
    return db.sql.query(text, values);
  };
  return { counted: { ...db, sql: { query } as unknown as Database['sql'] }, read: () => read };
}

const ROWS = 20_000;
const { applicationId } = await createTestApplication(db);
await db.sql.query(
  `insert into users (id, application_id, custom_user_id, registered_at, fields, phone_e164)
   select uuidv7(), $1, 'u' || lpad(n::text, 6, '0'), case when n % 2 = 0 then now() end,
          '{"email": "all@example.org", "phoneNumber": "0-1", "hashedEmail": "ab", "hashedPhoneNumber": "cd"}', '+4930123456'
   from generate_series(1, $2) as n`,
  [applicationId, ROWS],
);
await db.sql.query(
  'insert into user_identities (application_id, service_user_id, user_id) select application_id, id, id from users where application_id = $1',
  [applicationId],
);
// The planner may scan small tables completely.
await db.sql.query('analyze users, user_identities');

test('finding one user by a value that nearly all users of another application have reads tens of rows', async () => {
  const own = await createTestApplication(db);
  await db.sql.query(
    `insert into users (id, application_id, custom_user_id, registered_at, fields)
     select uuidv7(), $1, 'v' || n, now(), case when n = 1999 then '{"email": "all@example.org", "phoneNumber": "0-1", "hashedEmail": "ab"}'::jsonb else '{}' end
     from generate_series(1, 2000) as n`,
    [own.applicationId],
  );
  await db.sql.query('analyze users');
  for (const search of ['all@example.org', '01', 'ab']) {
    const { counted, read } = counting();
    expect(
      (
        await searchUsers(counted, { applicationId: own.applicationId, limit: 10, search })
      ).items.map(({ customUserId }) => customUserId),
    ).toEqual(['v1999']);
    expect(read()).toBeLessThan(500);
  }
});

test.each([undefined, 'u', 'u0', 'all@example.org', '01', '+49 30 123456', 'ab', 'CD'])(
  'a page of 10 out of many thousands that match %j reads tens of rows',
  async (search) => {
    for (const cursor of [undefined, 'u010000']) {
      const { counted, read } = counting();

      const { items, nextCursor } = await searchUsers(counted, {
        applicationId,
        limit: 10,
        ...(cursor !== undefined && { cursor }),
        ...(search !== undefined && { search }),
      });

      expect([items.length, nextCursor]).toEqual([10, items.at(-1)?.customUserId]);
      expect(read()).toBeLessThan(500);
    }
  },
);
