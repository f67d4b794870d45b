import { readSegmentShards } from '@tidings/automations/enter-existing';
import {
  handleChanges,
  handleSegments,
  handleTimers,
  type ShardStep,
  type StepObserver,
} from '@tidings/automations/shard-step';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { readUnreadPartitions } from '@tidings/partitioned-log/cursors';
import type { Database } from '@tidings/postgres/database';
import { readUserChangesTopic } from '@tidings/user-changes/changes';
import type { PlainRun } from '@tidings/automation-rehearsal/testing';

/** Lets the engine do all there is to do at the instant of the clock. */
export async function stepEngine(db: Database, observer: StepObserver): Promise<void> {
  const { topicId } = await readUserChangesTopic(db.sql);
  const all = async (step: Step, shard: number): Promise<void> => {
    while ((await step(db, { topicId, shard }, observer))?.hasMore === true);
  };
  for (;;) {
    const unread = await readUnreadPartitions(db.sql, { group: AUTOMATIONS_GROUP, topicId });
    for (const { part } of unread) await all(handleChanges, part);
    // A build begins once older transactions have ended, also those of other databases.
    const asking = await readSegmentShards(db.sql);
    for (const shard of asking) await all(handleSegments, shard);
    await settleMessages(db);
    const { rows: due } = await db.sql.query<{ shard: number }>(
      'select distinct shard from automation_timers where due_at <= now() and not is_parked',
    );
    if (due.length + asking.length === 0) return;
    for (const { shard } of due) await handleTimers(db, { topicId, shard }, observer);
    await settleMessages(db);
  }
}

type Step = (...of: Parameters<typeof handleChanges>) => Promise<ShardStep | null>;

/** What a rehearsal assumes of messages: sent at once if their person has an address. */
const settleMessages = (db: Database): Promise<unknown> =>
  db.sql.query(
    `update deliveries d
     set state = case when u.fields ? 'email' then 'sent' else 'failed' end,
       sent_at = case when u.fields ? 'email' then now() end, updated_at = now()
     from users u
     where u.id = d.user_id and d.state = 'pending'`,
  );

/** The next instant at which something is due, in milliseconds; null: nothing is. */
export async function nextDue(db: Database): Promise<number | null> {
  const { rows } = await db.sql.query<{ at: number | null }>(
    `select (extract(epoch from min(due_at)) * 1000)::float8 as at from automation_timers
     where not is_parked`,
  );
  return rows[0]?.at ?? null;
}

/** What the engine did, by slug of the automation. */
export async function readEngineRuns(
  db: Database,
  applicationId: string,
): Promise<Map<string, PlainRun[]>> {
  const { rows } = await db.sql.query<{
    slug: string;
    custom_user_id: string;
    message: string;
    key: string;
    status: PlainRun['status'];
    node: string | null;
    lines: string[];
  }>(
    `select a.slug, u.custom_user_id, r.trigger_message as message, r.entry_key as key, r.status,
       case when r.ended_at is null then r.node end as node,
       array(
         select concat_ws(' ', (extract(epoch from t.at) * 1000)::bigint, nullif(t.node, ''),
           t.outcome, t.reason, c.channel)
         from automation_trace t
           left join deliveries d on d.id = t.delivery_id and d.custom_user_id = u.custom_user_id
           left join campaigns c on c.id = d.campaign_id
         where t.run_id = r.id and t.outcome <> 'waiting'
         order by t.line) as lines
     from automation_runs r join automations a on a.id = r.automation_id
       join users u on u.id = r.user_id
     where r.application_id = $1`,
    [applicationId],
  );
  return new Map(
    [...Map.groupBy(rows, ({ slug }) => slug)].map(([slug, own]) => [
      slug,
      own.map((row) => ({
        customUserId: row.custom_user_id,
        messageId: row.message,
        key: row.key,
        status: row.status,
        lines: row.lines,
        node: row.node,
      })),
    ]),
  );
}
