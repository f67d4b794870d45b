import { afterAll, expect, test } from '@jest/globals';
import { systemClock } from '@tidings/platform';
import { connectDatabase, type Database, type Sql } from '@tidings/postgres/database';
import { connectTestDatabase, testDatabaseUrl } from '@tidings/testing';
import { releaseDue } from './release-scheduled.ts';
import { createSnapshotTaker } from './take-snapshots.ts';
import { campaignsHelpers, unending } from './testing/campaigns-service.ts';

const db = connectTestDatabase();
const keyedDb = connectDatabase({
  databaseUrl: testDatabaseUrl(),
  poolMax: 1,
  applicationName: 'test',
  isKeyed: true,
});
afterAll(() => Promise.all([db.close(), keyedDb.close()]));

/** The database, and the texts that it runs. */
function recorded(): { readonly database: Database; readonly texts: ReadonlySet<string> } {
  const texts = new Set<string>();
  const recording = (sql: Sql): Sql => ({
    query: ((text: string, ...rest: unknown[]) => {
      texts.add(text);
      return (sql.query as (...all: unknown[]) => unknown)(text, ...rest);
    }) as Sql['query'],
  });
  const database: Database = {
    ...db,
    sql: recording(db.sql),
    transaction: (work, options) => db.transaction((sql) => work(recording(sql)), options),
  };
  return { database, texts };
}

test('what runs often while a campaign runs is prepared on connections that plan by keys, and runs on no other', async () => {
  const { campaignsService, accepted, makeDue } = campaignsHelpers(db);
  const { database, texts } = recorded();
  const service = await campaignsService({ database, keyedDb });
  const [small, large] = [await accepted(2), await accepted(2_500)];

  for (let pass = 1; pass <= 2; pass += 1) {
    await service.sweep();
    await releaseDue({ ...service, onOthers: () => undefined }, unending);
    await createSnapshotTaker({ ...service, clock: systemClock }).takeAll(unending);
    await makeDue(small);
    await makeDue(large);
  }

  const { rows } = await keyedDb.sql.query<{ statement: string }>(
    'select statement from pg_prepared_statements',
  );
  expect(rows.length).toBeGreaterThanOrEqual(20);
  expect(texts.size).toBeGreaterThanOrEqual(5);
  expect(rows.filter(({ statement }) => texts.has(statement))).toEqual([]);
}, 60_000);
