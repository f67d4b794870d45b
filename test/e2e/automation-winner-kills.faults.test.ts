/** @nightly */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ONE_PROCESS } from '@tidings/local';
import { connectDatabase, type Database } from '@tidings/postgres/database';
import { eventually, randomFrom } from '@tidings/testing';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { setTimeout as sleep } from 'node:timers/promises';
import { betterBranch } from './support/better-branch.ts';
import { createClient, registerUsers, type Client } from './support/client.ts';

const ENV = {
  BUS_SESSION_TIMEOUT_MS: '6000',
  BUS_HEARTBEAT_INTERVAL_MS: '1000',
  CLAIM_LEASE_MS: '4000',
  SEND_LEASE_MS: '8000',
};
const KILLS_AROUND_DECISION = 4;
const KILLS_AFTER = 2;
const first = Array.from({ length: 80 }, (_, index) => `first-${index}`);
const later = Array.from({ length: 60 }, (_, index) => `later-${index}`);

let tidings: Awaited<ReturnType<typeof startTidings>>;
let client: Client;
let db: Database;
beforeAll(async () => {
  tidings = await startTidings({ name: 'automation-winner-kills', form: 'one-process', env: ENV });
  client = createClient(tidings.local);
  const { databaseUrl } = tidings.local;
  db = connectDatabase({ databaseUrl, poolMax: 2, applicationName: 'test' });
}, 240_000);
afterAll(async () => {
  await db?.close();
  await tidings?.stop();
}, 60_000);

async function kill(): Promise<void> {
  tidings.supervisor.kill(ONE_PROCESS, 'SIGKILL');
  await tidings.supervisor.ready(ONE_PROCESS);
}

test('the process is killed around the decision: it falls once, and all who come later draw it', async () => {
  const branch = betterBranch({ local: tidings.local, client, db });
  const random = randomFrom(20_261_130);
  await branch.activate();
  await registerUsers(client, first);
  await branch.enter(first);
  const { ab } = await branch.untilEntered(first.length);
  await branch.click();

  // The job looks when a process starts: a kill at some moment after that may fall before, while or
  // after it compares.
  await branch.halfAnHourPasses();
  for (let kills = 0; kills < KILLS_AROUND_DECISION; kills += 1) {
    await kill();
    await sleep(random() * 400);
  }
  await kill();
  const decided = await branch.untilDecided();
  const { ab: compared } = await branch.report();

  // Later people come while the engine is killed.
  await registerUsers(client, later);
  const entering = branch.enter(later);
  for (let kills = 0; kills < KILLS_AFTER; kills += 1) {
    const { entered: before } = await eventually(branch.report, { timeoutMs: 120_000 });
    await eventually(async () => expect((await branch.report()).entered).toBeGreaterThan(before), {
      timeoutMs: 120_000,
      intervalMs: 50,
    });
    await kill();
  }
  await entering;
  await branch.untilEntered(first.length + later.length);

  expect(await branch.decisions()).toBe(1);
  expect((await branch.report()).ab?.winner?.decision).toEqual(decided);
  expect((await branch.report()).ab?.winner?.figures).toEqual(compared?.winner?.figures);
  expect(await branch.branchesOf('first-')).toEqual(ab?.branches);
  expect(await branch.branchesOf('later-')).toEqual({ 'winner:1': later.length });
}, 600_000);
