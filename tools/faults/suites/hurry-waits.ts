import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '@tidings/postgres/database';

const EVERY_MS = 500;

/** Waits of a minute end after seconds: the language has none that are shorter. */
export function hurryWaits(db: Database, applicationId: string): { stop(): Promise<void> } {
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
             update automation_runs r set waits_until = now() + random() * interval '4 seconds'
             from waiting w where w.id = r.id returning r.id, r.waits_until
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
