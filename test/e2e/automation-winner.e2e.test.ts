/** @slow */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { shareTidings } from '../stack/share-tidings.ts';
import { betterBranch } from './support/better-branch.ts';
import { createClient, registerUsers, type Client } from './support/client.ts';

const ids = Array.from({ length: 50 }, (_, index) => `first-${index}`);

let db: Database;
let client: Client;
let branch: ReturnType<typeof betterBranch>;
beforeAll(async () => {
  const { local } = await shareTidings('The better branch');
  client = createClient(local);
  db = connectDatabase({ databaseUrl: local.databaseUrl, poolMax: 2, applicationName: 'test' });
  branch = betterBranch({ local, client, db });
}, 240_000);
afterAll(() => db?.close());

test('a split finds its better branch: from the definition to the report, and who comes later takes it', async () => {
  await branch.activate();
  await registerUsers(client, ids);
  await branch.enter(ids);
  const { ab } = await branch.untilEntered(ids.length);
  const drawn = ab?.branches ?? {};
  expect((drawn['0'] ?? 0) + (drawn['1'] ?? 0)).toBe(ids.length);
  expect(ab?.winner).toMatchObject({ by: 'clicked', minimum: 10, decision: null });
  const clicked = await branch.click();

  await branch.halfAnHourPasses();
  // The job looks each minute.
  await branch.untilDecided();
  await registerUsers(client, ['later-0', 'later-1']);
  await branch.enter(['later-0', 'later-1']);
  const found = (await branch.untilEntered(ids.length + 2)).ab;

  expect(found?.winner?.figures).toEqual([
    { runs: drawn['0'], hits: 0 },
    { runs: drawn['1'], hits: clicked },
  ]);
  expect(await branch.branchesOf('later-')).toEqual({ 'winner:1': 2 });
  expect(await branch.branchesOf('first-')).toEqual(drawn);
  expect(await branch.decisions()).toBe(1);
}, 240_000);
