import type { RunStatus, TraceOutcome } from '@tidings/contracts/automations/runs';
import type { Database } from '@tidings/postgres/database';

/** A run as it is stored. Times are in milliseconds. */
export type StoredRun = {
  readonly runId: string;
  readonly userId: string;
  readonly customUserId: string;
  readonly key: string;
  readonly status: RunStatus;
  readonly enteredAt: number;
  readonly receivedAt: number | null;
  readonly hasGoal: boolean;
};

export type StoredLine = {
  readonly runId: string;
  readonly at: number;
  readonly node: string;
  readonly outcome: TraceOutcome;
  readonly reason: string | null;
  readonly deliveryId: string | null;
};

export type StoredCount = {
  readonly node: string;
  readonly outcome: string;
  readonly reason: string;
  readonly n: number;
};

export type StoredMessage = {
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly customUserId: string;
  readonly state: string;
};

/** All that an application's automations have stored, read directly from Postgres. */
export type StoredRuns = {
  readonly runs: readonly StoredRun[];
  /** In the order of each run. */
  readonly lines: readonly StoredLine[];
  readonly counts: readonly StoredCount[];
  readonly messages: readonly StoredMessage[];
};

export async function readStoredRuns(db: Database, applicationId: string): Promise<StoredRuns> {
  const read = async <T extends object>(sql: string): Promise<readonly T[]> =>
    (await db.sql.query<T>(sql, [applicationId])).rows;
  return {
    runs: await read<StoredRun>(
      `select r.id as "runId", r.user_id as "userId", u.custom_user_id as "customUserId", r.entry_key as "key", r.status,
         floor(extract(epoch from r.entered_at) * 1000)::float8 as "enteredAt",
         floor(extract(epoch from r.trigger_received_at) * 1000)::float8 as "receivedAt", r.goal_at is not null as "hasGoal"
       from automation_runs r join users u on u.id = r.user_id where r.application_id = $1`,
    ),
    lines: await read<StoredLine>(
      `select run_id as "runId", floor(extract(epoch from at) * 1000)::float8 as at, node, outcome, reason, delivery_id as "deliveryId"
       from automation_trace where application_id = $1 order by run_id, line`,
    ),
    counts: await read<StoredCount>(
      `select node, outcome, reason, sum(n)::float8 as n from automation_counters where application_id = $1 group by 1, 2, 3`,
    ),
    messages: await read<StoredMessage>(
      `select d.id as "deliveryId", d.campaign_id as "campaignId", d.custom_user_id as "customUserId", d.state
       from deliveries d join campaigns c on c.id = d.campaign_id where d.application_id = $1 and c.automation_id is not null`,
    ),
  };
}

/** What was decided of each event that could enter a person, and how often each has entered. */
export async function readDecisions(
  db: Database,
  applicationId: string,
): Promise<Readonly<Record<'triggers' | 'entries', readonly string[]>>> {
  const read = async (table: string): Promise<readonly string[]> =>
    (
      await db.sql.query<{ row: string }>(
        `select to_jsonb(t)::text as row from ${table} t where application_id = $1`,
        [applicationId],
      )
    ).rows.map(({ row }) => row);
  return {
    triggers: await read('automation_triggers'),
    entries: await read('automation_entries'),
  };
}

/**
 * When the events of an application were committed, in milliseconds, by the ids of their messages. A
 * number of a transaction does not tell: one that began earlier may commit later.
 */
export async function readEventCommits(
  db: Database,
  applicationId: string,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await db.sql.query<{ id: string; at: number }>(
    `select message_id as id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as at
     from events where application_id = $1`,
    [applicationId],
  );
  return new Map(rows.map(({ id, at }) => [id, at]));
}

/** What is left to do: changes that no engine has read are counted apart. */
export async function countUnfinished(
  db: Database,
  applicationId: string,
): Promise<{ readonly runs: number; readonly timers: number; readonly deliveries: number }> {
  const { rows } = await db.sql.query<{ runs: number; timers: number; deliveries: number }>(
    `select (select count(*)::int from automation_runs where application_id = $1 and ended_at is null) as runs,
       (select count(*)::int from automation_timers where application_id = $1 and due_at <= now()) as timers,
       (select count(*)::int from deliveries where application_id = $1 and state in ('pending', 'claimed', 'sending', 'retry_wait', 'waiting')) as deliveries`,
    [applicationId],
  );
  return rows[0] ?? { runs: 0, timers: 0, deliveries: 0 };
}
