import { afterAll, expect, test } from '@jest/globals';
import type { Sql } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createTestApplication,
  eventually,
  untilBlockedBy,
} from '@tidings/testing';
import { createDefinition } from './definitions.ts';
import { deleteDefinition } from './delete-definition.ts';
import { resolveDefinitions } from './resolve-definitions.ts';

// A separate database: a lock on all events would block concurrent tests.
const db = await createOwnDatabase();
afterAll(() => db.close());

/** A definition whose events were counted and then deleted: the search reads all of its hours. */
async function newSubject() {
  const { applicationId } = await createTestApplication(db);
  const made = await createDefinition(db, { applicationId, name: 'noise', kind: 'action' });
  if (typeof made === 'string') throw new Error(made);
  const which = { applicationId, slug: made.slug };
  const store = (sql: Sql, receivedAt = 'now()') =>
    sql.query(
      `insert into events (request_id, message_index, application_id, message_id, type, slug, time, received_at)
       values (gen_random_uuid(), 0, $1, gen_random_uuid()::text, 'action', $2, 0, ${receivedAt})`,
      [applicationId, which.slug],
    );
  await store(db.sql);
  await db.sql.query('delete from events where application_id = $1', [applicationId]);
  return { which, store };
}

/** Blocks the search for events while `work` runs. */
const whileEventsAreLocked = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
  db.transaction(async (sql) => {
    await sql.query('lock table events in access exclusive mode');
    return work(sql);
  });

test('new event names do not wait for the search for stored events', async () => {
  const { which } = await newSubject();

  const { deleting, named } = await whileEventsAreLocked(async (sql) => {
    const begun = deleteDefinition(db, which);
    await untilBlockedBy(db, sql);
    const resolving = db.transaction(async (own) => {
      await own.query(`set local lock_timeout = '2s'`);
      return resolveDefinitions(own, [
        {
          applicationId: which.applicationId,
          kind: 'action',
          keyType: 'server',
          customName: 'new',
        },
      ]);
    });
    return { deleting: begun, named: await resolving };
  });

  expect(named).toEqual([expect.objectContaining({ slug: expect.any(String) })]);
  expect(await deleting).toBe('deleted');
});

test('a search that times out keeps the definition', async () => {
  const { which } = await newSubject();

  expect(await whileEventsAreLocked(() => deleteDefinition(db, which, { withinMs: 200 }))).toBe(
    'timed_out',
  );
  expect(await deleteDefinition(db, which)).toBe('deleted');
});

test('so does a wait for the lock that times out', async () => {
  const { which } = await newSubject();

  await db.transaction(async (sql) => {
    await sql.query('select 1 from applications where id = $1 for no key update', [
      which.applicationId,
    ]);
    expect(await deleteDefinition(db, which, { withinMs: 200 })).toBe('timed_out');
  });
  expect(await deleteDefinition(db, which)).toBe('deleted');
});

test.each([
  ['of this hour', 'now()'],
  ['that arrived long ago', `now() - interval '5 h'`],
])(
  'an event %s that is stored between search and lock keeps the definition',
  async (_when, receivedAt) => {
    const { which, store } = await newSubject();

    const deleting = await db.transaction(async (sql) => {
      await sql.query('select 1 from applications where id = $1 for no key update', [
        which.applicationId,
      ]);
      const begun = deleteDefinition(db, which);
      await untilBlockedBy(db, sql);
      await store(sql, receivedAt);
      return { begun };
    });

    expect(await deleting.begun).toBe('in_use');
    await eventually(async () => expect(await deleteDefinition(db, which)).toBe('in_use'));
  },
);
