import { setTimeout as delay } from 'node:timers/promises';
import { connectDatabase } from '@tidings/postgres/database';
import { noteRecovery } from '../steps.ts';
import type { AutomationsRow, AutomationsRun } from './automations-row.ts';
import { untilFed } from './steps.ts';

const POLL_MS = 500;
/** Of the time that it is open: what waited for its end would wait for all of it. */
const SHARE_MAX = 1 / 4;
/** A step takes up to a second on a busy machine. */
const OPEN_MS_MIN = 8_000;

export const transactionOpen: AutomationsRow = {
  id: 'A34',
  fault: 'another transaction that writes is open for two minutes',
  brokers: 1,
  plan: { outageMs: 120_000 },
  async inject(run) {
    const { rig, plan, ending } = run;
    const openMs = Math.max(plan.outageMs, OPEN_MS_MIN);
    const other = connectDatabase({
      databaseUrl: rig.addresses.databaseUrl,
      poolMax: 1,
      applicationName: 'faults-open',
      statementTimeoutMs: openMs * 2,
    });
    try {
      await other.sql.query('create table if not exists open_writes (at timestamptz not null)');
      await other.transaction(async (sql) => {
        // It has a number, older than all that is written meanwhile.
        await sql.query('insert into open_writes values (now())');
        await untilFed(run, 1 / 10);
        const until = performance.now() + openMs;
        let lateMs = 0;
        while (performance.now() < until && !ending.aborted) {
          lateMs = Math.max(lateMs, await readLate(run));
          // Not idle for long.
          await sql.query('select 1');
          await delay(POLL_MS);
        }
        noteRecovery(run, {
          what: 'the longest that a person or a timer waited meanwhile',
          ms: lateMs,
          msMax: openMs * SHARE_MAX,
        });
        run.notes.push(`open for ${Math.round(openMs / 1_000)} s`);
      });
    } finally {
      await other.close();
    }
  },
};

/** How late the oldest timer is, or the last run was. */
async function readLate({ rig, sender }: AutomationsRun): Promise<number> {
  const { rows } = await rig.db.sql.query<{ ms: number | null }>(
    `select extract(epoch from greatest(
       (select clock_timestamp() - min(due_at) from automation_timers where application_id = $1),
       (select entered_at - trigger_received_at from automation_runs where application_id = $1 order by id desc limit 1)
     ))::float8 * 1000 as ms`,
    [sender.id],
  );
  return rows[0]?.ms ?? 0;
}
