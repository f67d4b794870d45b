import { afterAll, expect, test } from '@jest/globals';
import { connectTestDatabase, createTestApplication, ingestRecord } from '@tidings/testing';
import { createApplier } from './apply-records.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

test('records are applied in a transaction that plans by keys, as prepared statements need', async () => {
  const { applicationId } = await createTestApplication(db);
  const modes: unknown[] = [];
  const applier = createApplier(db, {
    consumer: 'events',
    kinds: [],
    apply: async (sql) => void modes.push(...(await sql.query('show plan_cache_mode')).rows),
  });

  await applier.applyAll([{ record: ingestRecord({ applicationId }) }], () => Promise.resolve());

  expect(modes).toEqual([{ plan_cache_mode: 'force_generic_plan' }]);
});
