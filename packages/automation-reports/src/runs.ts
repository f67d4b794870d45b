import type { WhichRun } from '@tidings/automations/change-runs';
import type { RunStatus, TraceOutcome } from '@tidings/contracts/automations/runs';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A run as it is shown. Times are in milliseconds. */
export type ShownRun = {
  readonly runId: string;
  /** Null: the user was deleted meanwhile. */
  readonly customUserId: string | null;
  readonly version: number;
  readonly status: RunStatus;
  /** Where it waits; null: it has ended, or has not begun. */
  readonly node: string | null;
  readonly key: string;
  readonly error: string | null;
  readonly enteredAt: number;
  readonly waitsUntil: number | null;
  readonly endedAt: number | null;
  readonly goalAt: number | null;
};

/** A line of a trace. */
export type ShownLine = {
  /** Empty: the automation itself. */
  readonly node: string;
  readonly at: number;
  readonly outcome: TraceOutcome;
  readonly reason?: string;
  readonly campaignId?: string;
  readonly deliveryId?: string;
};

type RunRow = {
  readonly id: string;
  readonly custom_user_id: string | null;
  readonly version: number;
  readonly status: string;
  readonly node: string | null;
  readonly entry_key: string;
  readonly error: string | null;
  readonly entered_at: number;
  readonly waits_until: number | null;
  readonly ended_at: number | null;
  readonly goal_at: number | null;
};

const toRun = (row: RunRow): ShownRun => ({
  runId: row.id,
  customUserId: row.custom_user_id,
  version: row.version,
  status: row.status as RunStatus,
  node: row.ended_at === null ? row.node : null,
  key: row.entry_key,
  error: row.error,
  enteredAt: row.entered_at,
  waitsUntil: row.ended_at === null ? row.waits_until : null,
  endedAt: row.ended_at,
  goalAt: row.goal_at,
});

export type RunFilter = {
  readonly status?: RunStatus | undefined;
  /** Where they wait. */
  readonly node?: string | undefined;
  readonly customUserId?: string | undefined;
};

/** Runs of an automation before `before`, newest first. */
export async function listRuns(
  sql: Sql,
  automationId: string,
  {
    before,
    limit,
    ...filter
  }: RunFilter & { readonly before: string | null; readonly limit: number },
): Promise<ShownRun[]> {
  const { rows } = await sql.query<RunRow>(statement('list-runs'), [
    automationId,
    filter.status ?? null,
    filter.node ?? null,
    filter.customUserId ?? null,
    before,
    limit,
  ]);
  return rows.map(toRun);
}

/** A run of a person, with its automation. */
export type RunOfPerson = ShownRun & {
  readonly automation: { readonly slug: string; readonly name: string };
};

/** Runs of a person before `before`, newest first, of all automations; null: there is no such person. */
export async function listRunsOfPerson(
  sql: Sql,
  {
    applicationId,
    customUserId,
    before,
    limit,
  }: {
    readonly applicationId: string;
    readonly customUserId: string;
    readonly before: string | null;
    readonly limit: number;
  },
): Promise<RunOfPerson[] | null> {
  const found = await sql.query<{ id: string }>(statement('person-of-runs'), [
    applicationId,
    customUserId,
  ]);
  const [person] = found.rows;
  if (person === undefined) return null;
  const { rows } = await sql.query<RunRow & { readonly slug: string; readonly name: string }>(
    statement('list-runs-of-person'),
    [person.id, before, limit],
  );
  return rows.map((row) => ({
    ...toRun(row),
    automation: { slug: row.slug, name: row.name },
  }));
}

/** A run with its trace; null: the automation has none with this id. */
export async function readRun(
  sql: Sql,
  { automationId, runId }: WhichRun,
): Promise<(ShownRun & { readonly trace: readonly ShownLine[] }) | null> {
  const { rows } = await sql.query<RunRow>(statement('read-run'), [automationId, runId]);
  const [row] = rows;
  if (row === undefined) return null;
  return { ...toRun(row), trace: await readTrace(sql, runId) };
}

async function readTrace(sql: Sql, runId: string): Promise<ShownLine[]> {
  const { rows } = await sql.query<{
    line: number;
    node: string;
    outcome: string;
    reason: string | null;
    campaign_id: string | null;
    delivery_id: string | null;
    at: number;
  }>(statement('read-trace'), [runId]);
  return rows.map((row) => ({
    node: row.node,
    at: row.at,
    outcome: row.outcome as TraceOutcome,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.campaign_id !== null && { campaignId: row.campaign_id }),
    ...(row.delivery_id !== null && { deliveryId: row.delivery_id }),
  }));
}
