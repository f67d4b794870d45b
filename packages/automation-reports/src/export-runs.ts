import type { RunStatus, TraceOutcome } from '@tidings/contracts/automations/runs';
import { parseExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** Traces of this many runs are in memory at once. */
const RUNS_PER_PAGE = 100;
const TRIGGERS_PER_PAGE = 500;

/** A run as the person may see it. Times are in milliseconds. */
export type ExportedRun = {
  readonly runId: string;
  readonly automation: string;
  readonly version: number;
  readonly status: RunStatus;
  readonly key: string;
  /** The id of the message that began it; null: the API asked for it. */
  readonly eventId: string | null;
  /** The time of what began it. Integers beyond 2^53 are bigints, here and in `data`. */
  readonly time: number | bigint;
  /** What the API gave it. */
  readonly data: unknown;
  readonly enteredAt: number;
  readonly endedAt: number | null;
  readonly goalAt: number | null;
  readonly trace: readonly {
    readonly node: string;
    readonly at: number;
    readonly outcome: TraceOutcome;
    readonly reason: string | null;
    readonly campaignId: string | null;
    readonly deliveryId: string | null;
  }[];
};

/** What an automation made of an event of the person, or of an instant of another trigger. */
export type ExportedTrigger = {
  readonly automation: string;
  /** Null: an event. */
  readonly kind: string | null;
  /** The instant of a trigger that is no event. */
  readonly occurredAt: number | null;
  /** Of an event: that of its message. */
  readonly requestId: string;
  readonly messageIndex: number;
  readonly at: number;
  /** `entered`, or why not. */
  readonly result: string;
  readonly runId: string | null;
};

/** How often a person entered, and when last. */
export type ExportedEntry = {
  readonly automation: string;
  readonly key: string;
  readonly entries: number;
  readonly lastEnteredAt: number;
};

/** What automations know of a person, read page by page while the caller iterates. */
export type ExportedAutomations = {
  readonly runs: AsyncIterable<ExportedRun>;
  readonly triggers: AsyncIterable<ExportedTrigger>;
  readonly entries: readonly ExportedEntry[];
};

/** Also of automations that were deleted. */
export async function exportAutomations(sql: Sql, userId: string): Promise<ExportedAutomations> {
  const { rows } = await sql.query<{
    slug: string;
    entry_key: string;
    entries: number;
    last_entered_at: number;
  }>(statement('entries-to-export'), [userId]);
  return {
    runs: runsOf(sql, userId),
    triggers: triggersOf(sql, userId),
    entries: rows.map((row) => ({
      automation: row.slug,
      key: row.entry_key,
      entries: row.entries,
      lastEnteredAt: row.last_entered_at,
    })),
  };
}

type RunRow = {
  readonly id: string;
  readonly slug: string;
  readonly version: number;
  readonly status: string;
  readonly entry_key: string;
  readonly trigger_message: string | null;
  readonly trigger_time: string;
  readonly data: string | null;
  readonly entered_at: number;
  readonly ended_at: number | null;
  readonly goal_at: number | null;
};

/** Oldest first. */
async function* runsOf(sql: Sql, userId: string): AsyncGenerator<ExportedRun> {
  let after: string | null = null;
  for (;;) {
    const { rows }: { rows: RunRow[] } = await sql.query<RunRow>(statement('runs-to-export'), [
      userId,
      after,
      RUNS_PER_PAGE,
    ]);
    const traces = await tracesOf(sql, rows);
    for (const row of rows) yield toRun(row, traces.get(row.id) ?? []);
    const last = rows.at(-1);
    if (rows.length < RUNS_PER_PAGE || last === undefined) return;
    after = last.id;
  }
}

async function tracesOf(
  sql: Sql,
  runs: readonly RunRow[],
): Promise<ReadonlyMap<string, ExportedRun['trace']>> {
  const { rows } = await sql.query<{
    run_id: string;
    node: string;
    outcome: string;
    reason: string | null;
    campaign_id: string | null;
    delivery_id: string | null;
    at: number;
  }>(statement('traces-to-export'), [runs.map(({ id }) => id)]);
  const traces = Map.groupBy(rows, (row) => row.run_id);
  return new Map(
    [...traces].map(([runId, lines]) => [
      runId,
      lines.map((line) => ({
        node: line.node,
        at: line.at,
        outcome: line.outcome as TraceOutcome,
        reason: line.reason,
        campaignId: line.campaign_id,
        deliveryId: line.delivery_id,
      })),
    ]),
  );
}

const toRun = (row: RunRow, trace: ExportedRun['trace']): ExportedRun => ({
  runId: row.id,
  automation: row.slug,
  version: row.version,
  status: row.status as RunStatus,
  key: row.entry_key,
  eventId: row.trigger_message,
  time: parseExactJson(row.trigger_time) as number | bigint,
  data: row.data === null ? null : parseExactJson(row.data),
  enteredAt: row.entered_at,
  endedAt: row.ended_at,
  goalAt: row.goal_at,
  trace,
});

type TriggerRow = {
  readonly automation_id: string;
  readonly slug: string;
  readonly request_id: string;
  readonly message_index: number;
  readonly result: string;
  readonly run_id: string | null;
  readonly kind: string | null;
  readonly occurred_at: number | null;
  /** As exact as it is stored. */
  readonly place: string;
  readonly at: number;
};

async function* triggersOf(sql: Sql, userId: string): AsyncGenerator<ExportedTrigger> {
  let after: readonly [string, string, string, number] | readonly null[] = [null, null, null, null];
  for (;;) {
    const { rows }: { rows: TriggerRow[] } = await sql.query<TriggerRow>(
      statement('triggers-to-export'),
      [userId, ...after, TRIGGERS_PER_PAGE],
    );
    yield* rows.map((row) => ({
      automation: row.slug,
      kind: row.kind,
      occurredAt: row.occurred_at,
      requestId: row.request_id,
      messageIndex: row.message_index,
      at: row.at,
      result: row.result,
      runId: row.run_id,
    }));
    const last = rows.at(-1);
    if (rows.length < TRIGGERS_PER_PAGE || last === undefined) return;
    after = [last.automation_id, last.place, last.request_id, last.message_index];
  }
}
