import type { ScheduleTrigger } from '@tidings/contracts/automations/calendar';
import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import type { AutomationStatus, EntryRefusal } from '@tidings/contracts/automations/runs';
import { DEFAULT_TIME_ZONE } from '@tidings/contracts/policies';
import { isTimeZone } from '@tidings/contracts/time-zones';
import { nextCronMs, readCron } from '@tidings/platform';
import { isCanceled, type Database, type Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { foldLeavesApart } from '@tidings/segments/fold-leaves';
import { compileMembers } from '@tidings/segments/members';
import { localSettings, QUESTION_DEFAULTS } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import { insertArrivals } from './insert-arrivals.ts';

const statement = statementsIn(import.meta.dirname);

/** An instant that is late by more is left out: what was meant for the morning is not sent at night. */
const LATE_MAX_MS = 3_600_000;
/** Of an instant: the members of its segment are read by one statement. */
const READ_MAX_MS = 120_000;
/** Instants that were left out, as the answer to why has them. */
const MISSED_MAX = 20;

const SETTINGS = localSettings({
  name: 'tidings-schedules',
  workMemMiB: QUESTION_DEFAULTS.workMemMiB,
});

/** The next instant of a schedule; null: it does not come again. @callers automation-rehearsal */
export function nextAfter(
  { cron: text, timeZone }: ScheduleTrigger['schedule'],
  {
    applicationZone,
    afterMs,
  }: { readonly applicationZone: string | null; readonly afterMs: number },
): number | null {
  const cron = readCron(text);
  const zone = [timeZone, applicationZone].find((name) => name != null && isTimeZone(name));
  return cron && nextCronMs(cron, { timeZone: zone ?? DEFAULT_TIME_ZONE, afterMs });
}

/** An automation that has just been changed. */
type ChangedAutomation = {
  readonly id: string;
  readonly status: AutomationStatus;
  readonly live: AutomationDefinition | null;
  /** Milliseconds. */
  readonly activatedAt: number | null;
};

/**
 * After an automation was changed: says when it enters people next. A schedule that goes on keeps its
 * instant. What is paused or stopped is left to the job, so that a change does not wait for it.
 * @callers automations
 */
export async function keepSchedule(
  sql: Sql,
  applicationId: string,
  { id, status, live, activatedAt }: ChangedAutomation,
): Promise<void> {
  if (status !== 'active' || live === null || activatedAt === null) return;
  const { trigger } = live;
  if (!('schedule' in trigger)) return;
  const schedule = JSON.stringify(trigger.schedule);
  const { rows } = await sql.query<{ now: number; zone: string | null; is_kept: boolean }>(
    statement('read-schedule'),
    [id, applicationId, schedule, activatedAt],
  );
  const [row] = rows;
  if (row === undefined || row.is_kept) return;
  const next = nextAfter(trigger.schedule, { applicationZone: row.zone, afterMs: row.now });
  await sql.query(statement('put-schedule'), [id, applicationId, schedule, next, row.zone]);
}

/** What became of the instant of a schedule. */
export type Instant = { readonly automationId: string; readonly at: number } & (
  | { readonly outcome: 'taken'; readonly people: number }
  | { readonly outcome: 'missed'; readonly reason: EntryRefusal; readonly until: number }
  /** It has no schedule any more. */
  | { readonly outcome: 'gone' }
  /** Its segment took too long. */
  | { readonly outcome: 'slow' }
  /** Also put off, so that those of others have their turn. */
  | { readonly outcome: 'failed'; readonly error: unknown }
);

type TakingOptions = {
  /** For the persons of the funnels of a segment. */
  readonly memoryMiB: number;
  readonly readMaxMs?: number;
};

type DueRow = {
  readonly automation_id: string;
  readonly application_id: string;
  readonly at: number;
  readonly status: string;
  readonly zone: string | null;
  readonly definition: unknown;
  readonly now: number;
};

/**
 * Takes one instant that has come: stores who is in the segment, and when the next one comes, in one
 * transaction. Null: none has. An instant of a pause, or one that is late by more than an hour, enters
 * no one. @callers scheduler
 */
export async function takeInstant(
  db: Database,
  { memoryMiB, readMaxMs = READ_MAX_MS }: TakingOptions,
): Promise<Instant | null> {
  let due: DueRow | undefined;
  try {
    return await db.transaction(
      async (sql): Promise<Instant | null> => {
        const { rows } = await sql.query<DueRow>(statement('lock-due-schedule'));
        [due] = rows;
        return due === undefined ? null : await take({ db, sql, memoryMiB, readMaxMs }, due);
      },
      // It is idle while funnels are folded.
      { statementTimeoutMs: readMaxMs, idleTimeoutMs: 2 * readMaxMs },
    );
  } catch (error) {
    if (due === undefined) throw error;
    await db.sql.query(statement('put-off-schedule'), [due.automation_id]);
    const instant = { automationId: due.automation_id, at: due.at };
    return isCanceled(error)
      ? { ...instant, outcome: 'slow' }
      : { ...instant, outcome: 'failed', error };
  }
}

async function take(
  {
    db,
    sql,
    memoryMiB,
    readMaxMs,
  }: Required<TakingOptions> & { readonly db: Database; readonly sql: Sql },
  due: DueRow,
): Promise<Instant> {
  const { automation_id: automationId, application_id: applicationId, at, now } = due;
  const { trigger, entry } = (due.definition as AutomationDefinition | null) ?? {};
  const isOn = due.status === 'active' || due.status === 'paused';
  if (trigger === undefined || !('schedule' in trigger) || !isOn) {
    await sql.query(statement('delete-schedule'), [automationId]);
    return { automationId, at, outcome: 'gone' };
  }
  const next = (afterMs: number): number | null =>
    nextAfter(trigger.schedule, { applicationZone: due.zone, afterMs });
  const isLate = now - at > LATE_MAX_MS;
  if (due.status === 'paused' || isLate) {
    const until = due.status === 'paused' ? now : now - LATE_MAX_MS;
    const reason = due.status === 'paused' ? 'paused' : 'max_age';
    const missed: { readonly at: number; readonly reason: string }[] = [];
    for (let each: number | null = at; each !== null && each <= until; each = next(each)) {
      missed.unshift({ at: each, reason });
      missed.splice(MISSED_MAX);
    }
    await sql.query(statement('move-schedule'), [
      automationId,
      next(until),
      JSON.stringify(missed),
      due.zone,
    ]);
    return { automationId, at, outcome: 'missed', reason, until };
  }
  await sql.query(SETTINGS);
  const context = await readConditionContext(sql, applicationId);
  const question = { context, condition: { segment: trigger.segment }, now: at };
  const folded = await foldLeavesApart(
    db,
    { ...question, conditions: [question.condition] },
    { memoryMiB, timeoutMs: readMaxMs },
  );
  const members = compileMembers(question, folded);
  const people = await insertArrivals(sql, members, {
    automationId,
    applicationId,
    at,
    isOnce: (entry?.again ?? 'never') === 'never',
  });
  await sql.query(statement('move-schedule'), [automationId, next(at), '[]', due.zone]);
  return { automationId, at, outcome: 'taken', people };
}

/**
 * Computes the next instant of a schedule anew whose application has another time zone by now. Returns
 * whether there was one. @callers scheduler
 */
export function followZone(db: Database): Promise<boolean> {
  return db.transaction(async (sql) => {
    const { rows } = await sql.query<{
      automation_id: string;
      schedule: unknown;
      zone: string | null;
      now: number;
    }>(statement('lock-moved-zone'));
    const [row] = rows;
    if (row === undefined) return false;
    const { automation_id: automationId, zone, now } = row;
    const schedule = row.schedule as ScheduleTrigger['schedule'];
    const next = nextAfter(schedule, { applicationZone: zone, afterMs: now });
    await sql.query(statement('put-zone'), [automationId, next, zone]);
    return true;
  });
}

/** Deletes schedules of archived automations. Returns whether there may be more. @callers scheduler */
export async function deleteOldSchedules(sql: Sql, limit: number): Promise<boolean> {
  const { rowCount } = await sql.query(statement('delete-archived-schedules'), [limit]);
  return (rowCount ?? 0) >= limit;
}
