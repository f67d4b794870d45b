import type { AutomationStatus, RunStatus } from '@tidings/contracts/automations/runs';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import type { Run } from './run.ts';

const statement = statementsIn(import.meta.dirname);
const READ_RUNS = definePrepared(statement('read-runs'));
const READ_DUE = definePrepared(statement('read-due-timers'));
const READ_AUTOMATIONS = definePrepared(statement('read-automations-of-runs'));

/** Of one step: of each application, beside others, and of all. */
export const RUNS_OF_APPLICATION = 100;
export const RUNS_OF_STEP = 500;

type RunRow = {
  readonly id: string;
  readonly application_id: string;
  readonly automation_id: string;
  readonly version: number;
  readonly user_id: string;
  readonly custom_user_id: string | null;
  readonly shard: number;
  readonly node: string | null;
  readonly waits_until: number | null;
  readonly entered_at: number;
  readonly trigger_request: string | null;
  readonly trigger_index: number | null;
  readonly trigger_received_at: number | null;
  readonly trigger_time: string;
  readonly trigger_message: string | null;
  readonly data: string | null;
  readonly settles_until: number | null;
  readonly is_settled: boolean;
  readonly skips_sends: boolean;
  readonly end_requested: boolean;
  readonly failures: number;
  readonly last_sent_at: number | null;
  readonly lines: number;
  readonly status: string;
  readonly ended_at: number | null;
  readonly goal_until: number | null;
};

/** The runs of a shard that are to go on now, the longest due first. */
export async function readDueRuns(sql: Sql, shard: number): Promise<Run[]> {
  const { rows } = await sql.query<{ id: string }>(READ_DUE, [
    shard,
    RUNS_OF_APPLICATION,
    RUNS_OF_STEP,
  ]);
  return readRuns(
    sql,
    rows.map(({ id }) => id),
  );
}

/** Runs by their ids, in that order, without those of deleted users. */
export async function readRuns(sql: Sql, ids: readonly string[]): Promise<Run[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql.query<RunRow>(READ_RUNS, [ids]);
  const found = new Map(rows.map((row) => [row.id, toRun(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

const toRun = (row: RunRow): Run => ({
  id: row.id,
  applicationId: row.application_id,
  automationId: row.automation_id,
  version: row.version,
  userId: row.user_id,
  customUserId: row.custom_user_id ?? '',
  shard: row.shard,
  node: row.node,
  waitsUntil: row.waits_until,
  enteredAt: row.entered_at,
  trigger: {
    requestId: row.trigger_request,
    messageIndex: row.trigger_index,
    receivedAt: row.trigger_received_at ?? row.entered_at,
    time: BigInt(row.trigger_time),
    messageId: row.trigger_message ?? '',
  },
  data: row.data === null ? null : (parseExactJson(row.data) as Readonly<Record<string, unknown>>),
  settlesUntil: row.settles_until,
  isSettled: row.is_settled,
  skipsSends: row.skips_sends,
  endRequested: row.end_requested,
  failures: row.failures,
  lastSentAt: row.last_sent_at,
  lines: row.lines,
  status: row.status as RunStatus,
  endedAt: row.ended_at,
  goalUntil: row.goal_until,
});

/** An automation as it stands, for its runs. */
export type RunningAutomation = {
  readonly id: string;
  readonly slug: string;
  readonly status: AutomationStatus;
  readonly liveVersion: number | null;
  /** Runs of older versions go on as if they were of this one. */
  readonly movedTo: number | null;
  /** Runs entered before it are ended. Milliseconds. */
  readonly endsBefore: number | null;
};

export async function readAutomationsOf(
  sql: Sql,
  runs: readonly Pick<Run, 'automationId'>[],
): Promise<Map<string, RunningAutomation>> {
  const ids = [...new Set(runs.map(({ automationId }) => automationId))];
  const { rows } = await sql.query<{
    id: string;
    slug: string;
    status: string;
    live_version: number | null;
    moved_to: number | null;
    ends_before: number | null;
  }>(READ_AUTOMATIONS, [ids]);
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        slug: row.slug,
        status: row.status as AutomationStatus,
        liveVersion: row.live_version,
        movedTo: row.moved_to,
        endsBefore: row.ends_before,
      },
    ]),
  );
}
