import { buildDates } from '@tidings/automations/date-builds';
import { appendArrivals } from '@tidings/automation-schedules/arrivals';
import { takeInstant } from '@tidings/automation-schedules/schedules';
import { readDueShards } from '@tidings/automations/due-shards';
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
import { letOthersEnd } from '../let-others-end.ts';

/** What happens at one instant takes fewer, if nothing waits for others. */
const USUAL_TURNS = 3;

/** What the jobs of the scheduler do by the clock. */
export async function runJobs(db: Database, { onEntryFailure }: StepObserver): Promise<void> {
  const isBuilding = async (): Promise<boolean> => {
    const { rows } = await db.sql.query(
      'select from automation_date_builds where after is not null limit 1',
    );
    return rows.length > 0;
  };
  while (await isBuilding()) {
    await buildDates(db, 100, onEntryFailure);
    if (await isBuilding()) await letOthersEnd();
  }
  while ((await takeInstant(db, { memoryMiB: 16 })) !== null) continue;
  while (await appendArrivals(db, 100)) continue;
}

/** Lets the engine do all there is to do at the instant of the clock. */
export async function stepEngine(db: Database, observer: StepObserver): Promise<void> {
  const { topicId } = await readUserChangesTopic(db.sql);
  const all = async (step: Step, shard: number): Promise<void> => {
    while ((await step(db, { topicId, shard }, observer))?.hasMore === true);
  };
  let turns = 0;
  for (;;) {
    const unread = await readUnreadPartitions(db.sql, { group: AUTOMATIONS_GROUP, topicId });
    for (const { part } of unread) await all(handleChanges, part);
    const asking = await readSegmentShards(db.sql);
    for (const shard of asking) await all(handleSegments, shard);
    await settleMessages(db);
    const due = await readDueShards(db.sql);
    if (due.length + asking.length === 0) return;
    turns += 1;
    if (turns > USUAL_TURNS && due.length === 0) await letOthersEnd();
    for (const { shard } of due) await handleTimers(db, { topicId, shard }, observer);
    await settleMessages(db);
  }
}

type Step = (...of: Parameters<typeof handleChanges>) => Promise<ShardStep | null>;

/** What a rehearsal assumes of messages: sent at once if their person has an address. */
const settleMessages = (db: Database): Promise<unknown> =>
  db.sql.query(
    `update deliveries d
     set state = case when r.is_reached then 'sent' else 'failed' end,
       sent_at = case when r.is_reached then now() end, updated_at = now()
     from users u, campaigns c,
       lateral (
         select u.fields ? 'email' and not (
           c.purpose = 'marketing' and exists (
             select from suppressions s
             where s.application_id = u.application_id and s.address = u.fields ->> 'email'
           )
         ) as is_reached
       ) r
     where u.id = d.user_id and c.id = d.campaign_id and d.state = 'pending'`,
  );

/** The next instant at which something is due, in milliseconds; null: nothing is. */
export async function nextDue(db: Database): Promise<number | null> {
  const { rows } = await db.sql.query<{ at: number | null }>(
    `select (extract(epoch from least(
       (select min(due_at) from automation_timers where not is_parked),
       (select min(recheck_at) from segment_members),
       (select min(next_at) from automation_schedules),
       (select min(due_at) from automation_dates)
     )) * 1000)::float8 as at`,
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
    message: string | null;
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
        messageId: row.message ?? '',
        key: row.key,
        status: row.status,
        lines: row.lines,
        node: row.node,
      })),
    ]),
  );
}
