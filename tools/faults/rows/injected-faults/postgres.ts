import { connectDatabase, type Database } from '@tidings/postgres/database';
import type { Run } from '../../fault-row.ts';
import { signalTree } from '../../net/signal-tree.ts';
import { runFor } from '../steps.ts';

/** The server allows 300; as a superuser, also use the reserved ones. */
const CONNECTIONS_MAX = 330;

export async function restartPostgres(run: Run): Promise<void> {
  await run.rig.postgres.stop();
  await runFor(run, 500);
  await run.rig.postgres.start();
}

/**
 * Commits wait for the standby, so that it has every acknowledged commit when the primary is
 * killed.
 */
export async function failOver(run: Run): Promise<void> {
  const { rig } = run;
  const standby = await rig.addStandby();
  await runFor(run, 1_000, 3_000);
  signalTree(rig.postgres.pid, 'SIGKILL');
  await runFor(run, 500, 2_000);
  await rig.takeOver(standby);
}

export async function freezePostgres(run: Run, forMs: number): Promise<void> {
  signalTree(run.rig.postgres.pid, 'SIGSTOP');
  await runFor(run, forMs);
  signalTree(run.rig.postgres.pid, 'SIGCONT');
}

/** Uses up all Postgres connections, including those of these services. */
export async function withoutConnections(
  run: Run,
  { forMs, services }: { readonly forMs: number; readonly services: readonly string[] },
): Promise<void> {
  const greedy = connectDatabase({
    databaseUrl: run.rig.addresses.databaseUrl,
    poolMax: CONNECTIONS_MAX,
    applicationName: 'greedy',
  });
  await run.rig.db.sql.query('select 1');
  try {
    const until = performance.now() + forMs;
    const held = Array.from({ length: CONNECTIONS_MAX }, () =>
      holdConnection(run, { greedy, until }),
    );
    while (performance.now() < until) {
      // On an existing connection; freed ones are taken at once.
      await run.rig.db.sql.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where application_name = any($1)',
        [services],
      );
      await runFor(run, 500);
    }
    const outcomes = await Promise.all(held);
    if (!outcomes.includes('refused'))
      run.violations.push({
        oracle: 'healthy',
        what: 'Postgres never ran out of connections: the fault had no effect',
      });
  } finally {
    await greedy.close();
  }
}

async function holdConnection(
  run: Run,
  { greedy, until }: { readonly greedy: Database; readonly until: number },
): Promise<'held' | 'refused'> {
  let wasRefused = false;
  while (performance.now() < until) {
    try {
      await greedy.sql.query('select pg_sleep($1)', [(until - performance.now()) / 1000]);
    } catch {
      wasRefused = true;
      await runFor(run, 100);
    }
  }
  return wasRefused ? 'refused' : 'held';
}
