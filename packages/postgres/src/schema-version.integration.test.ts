import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createOwnDatabase,
  createRecordingLogger,
  eventually,
  publicTestDatabaseUrl,
  testDatabaseUrl,
} from '@tidings/testing';
import { connectDatabase, type Database } from './database.ts';
import { newestMigration, untilMigrated } from './schema-version.ts';

let db: Database;
beforeAll(async () => {
  db = await createOwnDatabase();
});
afterAll(() => db.close());

test('a database of this version or a newer one is not waited for', async () => {
  const { logger, lines } = createRecordingLogger();
  await untilMigrated(db, logger);
  await db.sql.query(
    `insert into migrations (id, name, hash) values (${newestMigration() + 1}, 'of a newer version', '-')`,
  );
  await untilMigrated(db, logger);

  expect(lines).toEqual([]);
  await db.sql.query(`delete from migrations where id > ${newestMigration()}`);
});

test('a process continues after the newest migration, and logs once what it waits for', async () => {
  const { logger, lines } = createRecordingLogger();
  await db.sql.query('alter table migrations rename to not_there_yet');
  let isOver = false;
  const waiting = untilMigrated(db, logger).then(() => {
    isOver = true;
  });
  await eventually(() => expect(lines).toHaveLength(1));
  await db.sql.query(`update not_there_yet set id = -1 where id = ${newestMigration()}`);
  await db.sql.query(
    `insert into not_there_yet (id, name, hash) values (${newestMigration() - 1}, 'of the version before', '-') on conflict do nothing`,
  );
  await db.sql.query('alter table not_there_yet rename to migrations');
  await eventually(() => expect(lines).toHaveLength(2));

  expect(lines).toMatchObject([
    { found: 0, wanted: newestMigration() },
    { found: newestMigration() - 1, wanted: newestMigration() },
  ]);
  expect(isOver).toBe(false);
  await db.sql.query(`update migrations set id = ${newestMigration()} where id = -1`);
  await waiting;
});

test('a process whose role has no rights yet waits until the preparation gave it some', async () => {
  const { logger, lines } = createRecordingLogger();
  const { rows } = await db.sql.query<{ name: string }>('select current_database() as name');
  const url = new URL(publicTestDatabaseUrl());
  url.pathname = rows[0]?.name ?? '';
  await db.sql.query('revoke all on migrations from tidings_public');
  const publicDb = connectDatabase({ databaseUrl: url.href, poolMax: 1, applicationName: 'test' });

  try {
    const waiting = untilMigrated(publicDb, logger);
    await eventually(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({
      found: 'no_rights',
      msg: 'waiting for the prepare step to grant the database role its rights',
    });
    await db.sql.query('grant select on migrations to tidings_public');
    await waiting;
  } finally {
    await publicDb.close();
  }
});

test('a process with a wrong password ends at once, and waits for nothing', async () => {
  const url = new URL(testDatabaseUrl());
  url.password = 'of-yesterday';
  const lockedOut = connectDatabase({ databaseUrl: url.href, poolMax: 1, applicationName: 'test' });
  const { logger, lines } = createRecordingLogger();

  try {
    await expect(untilMigrated(lockedOut, logger)).rejects.toMatchObject({ code: '28P01' });
    expect(lines).toEqual([]);
  } finally {
    await lockedOut.close();
  }
});
