import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import { createOwnDatabase, createTestApplication } from '@tidings/testing';
import { listUserDevices } from './devices.ts';

const db = await createOwnDatabase();
afterAll(() => db.close());

const DEVICES = 20_000;
const { applicationId } = await createTestApplication(db);

/**
 * Persons with one device each. The device proves the person, and its anonymous user was merged
 * into the person.
 */
beforeAll(async () => {
  await db.sql.query(
    `with people as (
       insert into users (id, application_id, custom_user_id, registered_at) select uuidv7(), $1, 'u' || n, now() from generate_series(1, $2) n returning id),
     visitors as (insert into users (id, application_id, merged_into) select uuidv7(), $1, id from people returning id, merged_into),
     ids as (insert into user_identities (application_id, service_user_id, user_id) select $1, uuidv7(), id from visitors)
     insert into devices (application_id, device_id, user_id, proved_user_id, user_id_at_proof, kind) select $1, id, id, merged_into, id, 'none' from visitors`,
    [applicationId, DEVICES],
  );
  await db.sql.query('analyze users, user_identities, devices');
}, 60_000);

type Plan = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly Plan[];
};

/** How every statement of this file accesses the `devices` table. */
function explaining(): { readonly explained: Database; readonly reads: readonly string[] } {
  const reads: string[] = [];
  const note = (plan: Plan): void => {
    if (plan['Relation Name'] === 'devices' && plan['Node Type'] !== 'ModifyTable')
      reads.push(plan['Node Type']);
    plan.Plans?.forEach(note);
  };
  const query = async (text: string, values: unknown[]) => {
    const { rows } = await db.sql.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Plan }] }>(
      `explain (format json) ${text}`,
      values,
    );
    rows.forEach((row) => note(row['QUERY PLAN'][0].Plan));
    return db.sql.query(text, values);
  };
  return { explained: { ...db, sql: { query } as unknown as Database['sql'] }, reads };
}

test('the devices of a user are found by indexes', async () => {
  const { rows } = await db.sql.query<{ id: string }>(
    "select id from users where application_id = $1 and custom_user_id = 'u7'",
    [applicationId],
  );
  const { explained, reads } = explaining();

  expect(await listUserDevices(explained, rows[0]?.id ?? '')).toMatchObject([
    { customUserId: 'u7', joinedTo: 'u7' },
  ]);

  expect(reads).toEqual(['Bitmap Heap Scan']);
});
