import type { RunStatus } from '@tidings/contracts/automations/runs';
import type { Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import type { TraceLine } from './interpret.ts';
import type { Run } from './run.ts';

const statement = statementsIn(import.meta.dirname);
const UPDATE_RUNS = definePrepared(statement('update-runs'));
const PUT_TIMERS = definePrepared(statement('put-timers'));
const DELETE_TIMERS = definePrepared(statement('delete-timers'));
const PUT_WAITS = definePrepared(statement('put-waits'));
const INSERT_TRACE = definePrepared(statement('insert-trace'));
const ADD_COUNTS = definePrepared(statement('add-counts'));

/** A line, with the delivery that it made. */
export type WrittenLine = Pick<TraceLine, 'node' | 'outcome' | 'reason'> & {
  readonly campaignId?: string;
  readonly deliveryId?: string;
};

/** How often something happened at a node; node '' is the automation. */
export type Count = {
  readonly node: string;
  readonly outcome: string;
  readonly reason?: string;
  readonly n?: number;
};

/** What a step made of a run. Times are in milliseconds. */
export type WrittenStep = {
  readonly run: Run;
  readonly version: number;
  readonly node: string | null;
  readonly waitsUntil: number | null;
  /** When it goes on by itself; null: not any more. */
  readonly dueAt: number | null;
  readonly lastSentAt?: number;
  readonly status: RunStatus;
  readonly endedAt: number | null;
  readonly goalUntil: number | null;
  readonly goalAt: number | null;
  readonly settlesUntil?: number | null;
  readonly failures: number;
  readonly error: string | null;
  /** Slugs of the events that wake it; null: the same as before. */
  readonly slugs: readonly string[] | null;
  readonly lines: readonly WrittenLine[];
  readonly counts: readonly Count[];
};

/** Stores what steps did. The shard of the runs is locked. @callers automations */
export async function writeSteps(sql: Sql, steps: readonly WrittenStep[]): Promise<void> {
  if (steps.length === 0) return;
  const column = <T>(of: (step: WrittenStep) => T): T[] => steps.map(of);
  await sql.query(UPDATE_RUNS, [
    column(({ run }) => run.id),
    column(({ version }) => version),
    column(({ node }) => node),
    column(({ waitsUntil }) => waitsUntil),
    column(({ lastSentAt }) => lastSentAt ?? null),
    column(({ lines }) => lines.length),
    column(({ status }) => status),
    column(({ endedAt }) => endedAt),
    column(({ goalUntil }) => goalUntil),
    column(({ goalAt }) => goalAt),
    column(({ failures }) => failures),
    column(({ error }) => error),
    column(({ settlesUntil }) => settlesUntil ?? null),
    column(({ slugs }) => slugs === null),
  ]);
  const due = steps.filter(({ dueAt }) => dueAt !== null);
  if (due.length > 0)
    await sql.query(PUT_TIMERS, [
      due.map(({ run }) => run.id),
      due.map(({ run }) => run.shard),
      due.map(({ run }) => run.applicationId),
      due.map(({ run }) => run.automationId),
      due.map(({ dueAt }) => dueAt),
    ]);
  const over = steps.filter(({ dueAt }) => dueAt === null);
  if (over.length > 0) await sql.query(DELETE_TIMERS, [over.map(({ run }) => run.id)]);
  await writeWaits(sql, steps);
  await writeTrace(sql, steps);
  await addCounts(sql, steps);
}

async function writeWaits(sql: Sql, steps: readonly WrittenStep[]): Promise<void> {
  const changed = steps.filter(({ slugs }) => slugs !== null);
  if (changed.length === 0) return;
  const waits = changed.flatMap(({ run, slugs }) =>
    [...new Set(slugs)].map((slug) => ({ run, slug })),
  );
  await sql.query(PUT_WAITS, [
    changed.map(({ run }) => run.id),
    waits.map(({ run }) => run.id),
    waits.map(({ run }) => run.userId),
    waits.map(({ slug }) => slug),
    waits.map(({ run }) => run.applicationId),
  ]);
}

async function writeTrace(sql: Sql, steps: readonly WrittenStep[]): Promise<void> {
  const lines = steps.flatMap(({ run, lines: own }) =>
    own.map((line, index) => ({ ...line, run, no: run.lines + index })),
  );
  if (lines.length === 0) return;
  await sql.query(INSERT_TRACE, [
    lines.map(({ run }) => run.id),
    lines.map(({ no }) => no),
    lines.map(({ run }) => run.applicationId),
    lines.map(({ node }) => node),
    lines.map(({ outcome }) => outcome),
    lines.map(({ reason }) => reason ?? null),
    lines.map(({ campaignId }) => campaignId ?? null),
    lines.map(({ deliveryId }) => deliveryId ?? null),
  ]);
}

type Sum = {
  readonly automationId: string;
  readonly applicationId: string;
  readonly version: number;
  readonly shard: number;
  /** When the run entered, in milliseconds: numbers are those of the people of a day. */
  readonly enteredAt: number;
} & Required<Count>;

async function addCounts(sql: Sql, steps: readonly WrittenStep[]): Promise<void> {
  const sums = new Map<string, Sum>();
  for (const { run, version, counts } of steps) {
    const { automationId, applicationId, shard, enteredAt } = run;
    const day = dayOf(enteredAt);
    for (const { node, outcome, reason = '', n = 1 } of counts) {
      const key = JSON.stringify([automationId, version, node, outcome, reason, day, shard]);
      const before = sums.get(key)?.n ?? 0;
      const of = { automationId, applicationId, version, shard, enteredAt, node, outcome, reason };
      sums.set(key, { ...of, n: before + n });
    }
  }
  // In one order: an engine and a request may write the same rows.
  await writeCounts(
    sql,
    [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
  );
}

async function writeCounts(sql: Sql, sums: readonly Sum[]): Promise<void> {
  if (sums.length === 0) return;
  await sql.query(ADD_COUNTS, [
    sums.map(({ automationId }) => automationId),
    sums.map(({ version }) => version),
    sums.map(({ node }) => node),
    sums.map(({ outcome }) => outcome),
    sums.map(({ reason }) => reason),
    sums.map(({ shard }) => shard),
    sums.map(({ applicationId }) => applicationId),
    sums.map(({ n }) => n),
    sums.map(({ enteredAt }) => dayOf(enteredAt)),
  ]);
}

const DAY_MS = 86_400_000;
/** In UTC, since 1970. */
const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** A run outside of a step, with the node where it waits. */
export type CountedRun = Omit<Sum, keyof Count> & { readonly node: string | null };

/** Of a run that failed and goes on after all. @callers automations */
export const uncountFailure = (sql: Sql, run: CountedRun): Promise<void> =>
  countOutside(sql, [run], { outcome: 'failed', n: -1 });

/** Of runs of people who were deleted. @callers automations */
export const countForgotten = (sql: Sql, runs: readonly CountedRun[]): Promise<void> =>
  countOutside(sql, runs, { outcome: 'exited', n: 1 });

async function countOutside(
  sql: Sql,
  runs: readonly CountedRun[],
  { outcome, n }: Pick<Sum, 'outcome' | 'n'>,
): Promise<void> {
  for (const { node, ...run } of runs)
    await writeCounts(
      sql,
      (node === null ? [''] : ['', node]).map((each) => ({
        ...run,
        node: each,
        outcome,
        reason: '',
        n,
      })),
    );
}

/** Timers of a paused automation: they are due again when it goes on. @callers automations */
export async function parkTimers(
  sql: Sql,
  automationId: string,
  runs: readonly Run[],
): Promise<void> {
  if (runs.length === 0) return;
  await sql.query(statement('park-timers'), [
    automationId,
    runs.map(({ id }) => id),
    runs.map(({ shard }) => shard),
    runs.map(({ applicationId }) => applicationId),
  ]);
}
