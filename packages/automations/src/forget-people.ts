import { forgetArrivals } from '@tidings/automation-schedules/arrivals';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { forgetMembers } from '@tidings/live-segments/forget-members';
import { holdCursor } from '@tidings/partitioned-log/cursors';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { readUserChangesTopic, shardOf } from '@tidings/user-changes/changes';
import { countForgotten } from './write-steps.ts';

const statement = statementsIn(import.meta.dirname);

/**
 * Deletes the ways of people through automations: runs with their traces, timers, waits, entries and
 * triggers. Reports keep their numbers; a run that was on its way counts as exited. First in its
 * transaction: it waits for the steps of their shards, and no step sees them after it.
 * @callers user-data
 */
export async function forgetPeople(sql: Sql, userIds: readonly string[]): Promise<void> {
  const { rows: automations } = await sql.query(statement('has-automations-of-people'), [userIds]);
  if (automations.length === 0) return;
  const { topicId } = await readUserChangesTopic(sql);
  const shards = new Set(userIds.map(shardOf));
  for (const part of [...shards].toSorted((a, b) => a - b))
    await holdCursor(sql, { group: AUTOMATIONS_GROUP, topicId, part });
  const { rows } = await sql.query<ForgottenRun>(statement('delete-runs-of-people'), [userIds]);
  await sql.query(statement('delete-rest-of-people'), [userIds]);
  await forgetArrivals(sql, userIds);
  await forgetMembers(sql, userIds);
  await countForgotten(
    sql,
    rows.map((row) => ({
      automationId: row.automation_id,
      applicationId: row.application_id,
      version: row.version,
      shard: row.shard,
      node: row.node,
      enteredAt: row.entered_at,
    })),
  );
}

/** A run that was on its way, and had entered. */
type ForgottenRun = {
  readonly automation_id: string;
  readonly application_id: string;
  readonly version: number;
  readonly shard: number;
  readonly node: string | null;
  readonly entered_at: number;
};
