import { setTimeout as delay } from 'node:timers/promises';
import { ENGINE } from '../../rigs/automations-rig.ts';
import { measureUntil, noteRecovery, runFor } from '../steps.ts';
import type { AutomationsRow, AutomationsRun } from './automations-row.ts';
import { untilFed } from './steps.ts';

const TRIES = 400;
const STILL_MS = 300;
/** Postgres ends a step in which nothing happens for ten seconds. */
const TAKEN_OVER_WITHIN_MS = 15_000;
const LATE_MS = 5_000;
const CAUGHT_UP_WITHIN_MS = 20_000;

export const engineFrozen: AutomationsRow = {
  id: 'A17',
  fault: 'one of two engines frozen for a minute while it has a shard, and thawed',
  brokers: 1,
  plan: { outageMs: 60_000 },
  async inject(run) {
    const { rig, plan } = run;
    await untilFed(run, 1 / 3);
    await freezeInTransaction(run);
    const from = performance.now();
    try {
      noteRecovery(run, {
        what: 'the other engine has all shards',
        ms: await measureUntil(async () => (await countHeld(run)) === 0, {
          from,
          msMax: TAKEN_OVER_WITHIN_MS,
        }),
        msMax: TAKEN_OVER_WITHIN_MS,
      });
      noteRecovery(run, {
        what: 'no timer is late',
        ms: await measureUntil(async () => (await countLate(run)) === 0, {
          from,
          msMax: CAUGHT_UP_WITHIN_MS,
        }),
        msMax: CAUGHT_UP_WITHIN_MS,
      });
      await runFor(run, Math.max(0, plan.outageMs - (performance.now() - from)));
      const late = await countLate(run);
      if (late > 0)
        run.violations.push({ oracle: 'in time', what: `${late} timers are late at the thaw` });
    } finally {
      rig.supervisor.kill(ENGINE, 'SIGCONT');
    }
  },
};

/** At an instant at which it has begun a step: only that keeps others from a shard. */
async function freezeInTransaction(run: AutomationsRun): Promise<void> {
  const { rig, ending } = run;
  for (let tries = 0; tries < TRIES; tries += 1) {
    rig.supervisor.kill(ENGINE, 'SIGSTOP');
    await delay(STILL_MS, undefined, { signal: ending });
    if ((await countHeld(run)) > 0) return;
    rig.supervisor.kill(ENGINE, 'SIGCONT');
    await runFor(run, 1, 200);
  }
  throw new Error('the engine had no step when it was frozen');
}

/** Transactions of engines in which nothing happens. */
async function countHeld({ rig }: AutomationsRun): Promise<number> {
  const { rows } = await rig.db.sql.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where application_name = $1 and state like 'idle in transaction%' and state_change < clock_timestamp() - interval '200 ms'`,
    [ENGINE],
  );
  return rows[0]?.n ?? 0;
}

async function countLate({ rig, sender }: AutomationsRun): Promise<number> {
  const { rows } = await rig.db.sql.query<{ n: number }>(
    `select count(*)::int as n from automation_timers where application_id = $1 and due_at < clock_timestamp() - $2 * interval '1 ms'`,
    [sender.id, LATE_MS],
  );
  return rows[0]?.n ?? 0;
}
