import { connectDatabase, type Database } from '@tidings/db';
import type { FaultRow, Run } from '../fault-row.ts';
import { signalTree } from '../net/signal-tree.ts';
import { untilRead } from '../oracles/lag.ts';
import { checkSameProcesses, goOn, noteRecovery, pidsOf } from './steps.ts';

const READ_WITHIN_MS = 60_000;
/** The server takes 200; what a superuser keeps for itself, a superuser takes too. */
const CONNECTIONS_MAX = 230;

export const postgresAway: FaultRow = {
  id: 'F9',
  fault: 'Postgres restarted, failed over, frozen, out of connections',
  brokers: 1,
  mustAccept: true,
  async inject(run) {
    const { rig, plan } = run;
    const before = pidsOf(run);
    await rig.postgres.stop();
    await goOn(run, 500);
    await rig.postgres.start();
    await noteRead(run, 'all read after a restart of Postgres');

    await failOver(run);
    await noteRead(run, 'all read after a standby took over');

    signalTree(rig.postgres.pid, 'SIGSTOP');
    await goOn(run, plan.outageMs);
    signalTree(rig.postgres.pid, 'SIGCONT');
    await noteRead(run, 'all read after Postgres was frozen');

    await withoutConnections(run, plan.outageMs / 2);
    await noteRead(run, 'all read after Postgres had no connections left');
    checkSameProcesses(run, before);
  },
};

export async function noteRead(run: Run, what: string, msMax = READ_WITHIN_MS): Promise<void> {
  noteRecovery(run, { what, ms: await untilRead(run.rig.bus, READ_WITHIN_MS), msMax });
}

/** Commits wait for the standby, so that it has everything anybody was told is stored when the primary dies in the middle of its work. */
async function failOver(run: Run): Promise<void> {
  const { rig } = run;
  const standby = await rig.addStandby();
  await goOn(run, 1_000, 3_000);
  signalTree(rig.postgres.pid, 'SIGKILL');
  await goOn(run, 500, 2_000);
  await rig.takeOver(standby);
}

/** Takes every connection that Postgres gives, and those that the consumers had. */
async function withoutConnections(run: Run, forMs: number): Promise<void> {
  const greedy = connectDatabase({ databaseUrl: run.rig.addresses.databaseUrl, poolMax: CONNECTIONS_MAX, applicationName: 'greedy' });
  await run.rig.db.sql.query('select 1');
  try {
    const until = performance.now() + forMs;
    const held = Array.from({ length: CONNECTIONS_MAX }, () => holdConnection(run, { greedy, until }));
    while (performance.now() < until) {
      // By a connection that was there before; what becomes free is taken at once.
      await run.rig.db.sql.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name in ('users-consumer', 'events-consumer')");
      await goOn(run, 500);
    }
    const outcomes = await Promise.all(held);
    if (!outcomes.includes('refused')) run.violations.push({ oracle: 'O8', what: 'Postgres never ran out of connections: nothing was tried' });
  } finally {
    await greedy.close();
  }
}

async function holdConnection(run: Run, { greedy, until }: { readonly greedy: Database; readonly until: number }): Promise<'held' | 'refused'> {
  let wasRefused = false;
  while (performance.now() < until) {
    try {
      await greedy.sql.query('select pg_sleep($1)', [(until - performance.now()) / 1000]);
    } catch {
      wasRefused = true;
      await goOn(run, 100);
    }
  }
  return wasRefused ? 'refused' : 'held';
}
