import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@tidings/postgres/database';

const EVERY_MS = 500;

/** Instants at which waits end that were cut short, in milliseconds, by run and node. */
export type CutWaits = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Waits of a minute end after seconds: the language has none that are shorter. Each new end is stored
 * with its cut: an engine may come to it late, and what happens in between is after the end.
 */
export async function hurryWaits(
  db: Database,
  applicationId: string,
): Promise<{ stop(): Promise<void> }> {
  await db.sql.query(
    `create table if not exists faults_cut_waits (run_id uuid, node text, until timestamptz)`,
  );
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      // A run that a step has now is hurried later; Postgres may be away.
      await db.sql
        .query(
          `with waiting as (
             select id from automation_runs
             where application_id = $1 and ended_at is null and waits_until > now() + interval '10 seconds'
             for update skip locked
           ), moved as (
             update automation_runs r
             set waits_until = date_trunc('milliseconds', now() + random() * interval '4 seconds')
             from waiting w where w.id = r.id returning r.id, r.node, r.waits_until
           ), noted as (
             insert into faults_cut_waits select id, node, waits_until from moved
           )
           update automation_timers t set due_at = m.waits_until from moved m where t.run_id = m.id`,
          [applicationId],
        )
        .catch(() => undefined);
      await delay(EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** The waits of an application's runs that were cut short. */
export async function readCutWaits(db: Database, applicationId: string): Promise<CutWaits> {
  const { rows } = await db.sql.query<{ run: string; node: string; until: number }>(
    `select c.run_id as run, c.node, (extract(epoch from c.until) * 1000)::float8 as until
     from faults_cut_waits c join automation_runs r on r.id = c.run_id
     where r.application_id = $1`,
    [applicationId],
  );
  const ofRun = Map.groupBy(rows, ({ run }) => run);
  return new Map(
    [...ofRun].map(([run, own]) => [run, new Map(own.map(({ node, until }) => [node, until]))]),
  );
}
