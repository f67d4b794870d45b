import type { Automation } from '@tidings/automations/automations';
import { MAX_AGE } from '@tidings/automations/enter';
import { entryKeyOf } from '@tidings/automations/entry-key';
import { slugsOf } from '@tidings/automations/listen-for';
import type { AutomationDefinition, EventTrigger } from '@tidings/contracts/automations/definition';
import type { EntryRefusal } from '@tidings/contracts/automations/runs';
import { dateInstantMs } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { toMs } from '@tidings/segments/durations';
import { nextDate } from '@tidings/segments/next-date';
import { readPersonCalendars } from '@tidings/segments/person-calendar';
import { selectEvents, type StoredEvent } from '@tidings/segments/person-events';
import { readNow } from '@tidings/segments/question-queue';
import { readConditionContext } from '@tidings/segments/segments';
import { listRuns, type ShownRun } from './runs.ts';

const statement = statementsIn(import.meta.dirname);

const TRIGGERS_MAX = 20;
const RUNS_MAX = 20;
/** The log does not keep what no engine has looked at for longer. */
const UNDECIDED_MAX_MS = 14 * 86_400_000;

/** What became of an event, or of another trigger, that could enter a person. */
export type ExplainedTrigger = {
  /** None of another trigger. */
  readonly eventId?: string;
  /** Its own time, or the instant of the trigger, in milliseconds. */
  readonly at: number | bigint;
  /** `pending`: the engine has not looked at it yet. */
  readonly result: 'entered' | 'skipped' | 'pending';
  readonly reason?: EntryRefusal;
  /** What of the definition refused it. */
  readonly pointer?: string;
  readonly runId?: string;
};

export type ExplainedUser = {
  readonly triggers: readonly ExplainedTrigger[];
  readonly runs: readonly ShownRun[];
};

/** Why a person is in an automation, or is not; null: nothing is known of them. */
export async function explainUser(
  sql: Sql,
  {
    applicationId,
    automation,
    customUserId,
  }: {
    readonly applicationId: string;
    readonly automation: Automation;
    readonly customUserId: string;
  },
): Promise<ExplainedUser | null> {
  const { rows } = await sql.query<{ id: string; is_registered: boolean }>(statement('find-user'), [
    applicationId,
    customUserId,
  ]);
  const [user] = rows;
  if (user === undefined) return null;
  const runs = await listRuns(sql, automation.id, { before: null, limit: RUNS_MAX, customUserId });
  const definition = automation.live ?? automation.draft;
  const { trigger } = definition;
  if (!('event' in trigger))
    return {
      triggers: await explainInstants(sql, { applicationId, automation, userId: user.id }),
      runs,
    };
  const asked = { applicationId, automation, definition, trigger };
  const triggers = await explainTriggers(sql, asked, user);
  return { triggers, runs };
}

/** Decisions about the person, and instants that entered no one. The latest first. */
async function explainInstants(
  sql: Sql,
  of: {
    readonly applicationId: string;
    readonly automation: Automation;
    readonly userId: string;
  },
): Promise<ExplainedTrigger[]> {
  const missed = await readMissed(sql, of.automation.id);
  const decisions = await readDecisions(sql, of);
  return [
    ...(await explainDate(sql, of, decisions.length > 0)),
    ...decisions,
    ...missed.map((each): ExplainedTrigger => ({ ...each, result: 'skipped' })),
  ]
    .toSorted((one, other) => Number(other.at) - Number(one.at))
    .slice(0, TRIGGERS_MAX);
}

/** The next instant of a date; or the one that was past when it became known, and entered no one. */
async function explainDate(
  sql: Sql,
  {
    applicationId,
    automation,
    userId,
  }: {
    readonly applicationId: string;
    readonly automation: Automation;
    readonly userId: string;
  },
  wasDecided: boolean,
): Promise<ExplainedTrigger[]> {
  const trigger = (automation.live ?? automation.draft).trigger;
  if (!('date' in trigger)) return [];
  if (automation.status === 'stopped') return [];
  const due = await readDueDate(sql, { automation, userId });
  if (due !== null) return [{ at: due, result: 'pending' }];
  if (wasDecided || automation.status !== 'active') return [];
  const now = await readNow(sql);
  const context = await readConditionContext(sql, applicationId);
  const asked = { context, now, dates: [trigger.date] };
  const calendar = (await readPersonCalendars(sql, asked, [userId])).get(userId);
  const value = calendar?.dates[0] ?? null;
  if (calendar === undefined || value === null) return [];
  const { timeZone } = calendar;
  // As the engine finds it, which has not come to this person yet.
  const next = nextDate(trigger, { value, timeZone, known: null, now });
  const at = next?.enters ?? next?.dueAt ?? null;
  if (at !== null) return [{ at, result: 'pending' }];
  const past = dateInstantMs(value, { offset: trigger.offset, time: trigger.at }, timeZone);
  return [{ at: past, result: 'skipped', reason: 'max_age', pointer: '/trigger/maxAge' }];
}

/** When a date of the person is to enter them, in milliseconds; null: none is. */
async function readDueDate(
  sql: Sql,
  { automation: { id }, userId }: { readonly automation: Automation; readonly userId: string },
): Promise<number | null> {
  const { rows } = await sql.query<{ at: number }>(statement('read-due-date'), [id, userId]);
  return rows[0]?.at ?? null;
}

/** What became of triggers without an event. A run of the API is none: its request was answered. */
async function readDecisions(
  sql: Sql,
  { automation, userId }: { readonly automation: Automation; readonly userId: string },
): Promise<ExplainedTrigger[]> {
  const { rows } = await sql.query<{ at: number; result: string; run_id: string | null }>(
    statement('read-decisions'),
    [automation.id, userId, TRIGGERS_MAX],
  );
  return rows.map(({ at, result, run_id: runId }): ExplainedTrigger => {
    if (result === 'entered') return { at, result, ...(runId !== null && { runId }) };
    const reason = result as EntryRefusal;
    const pointer = POINTERS[reason];
    return { at, result: 'skipped', reason, ...(pointer !== undefined && { pointer }) };
  });
}

/** Instants of a schedule that entered no one, the latest first. */
async function readMissed(
  sql: Sql,
  automationId: string,
): Promise<{ readonly at: number; readonly reason: EntryRefusal }[]> {
  const { rows } = await sql.query<{ at: number; reason: string }>(statement('read-missed'), [
    automationId,
    TRIGGERS_MAX,
  ]);
  return rows.map(({ at, reason }) => ({ at, reason: reason as EntryRefusal }));
}

type Asked = {
  readonly applicationId: string;
  readonly automation: Automation;
  readonly definition: AutomationDefinition;
  readonly trigger: EventTrigger;
};

type TriggerRow = {
  readonly request_id: string;
  readonly message_index: number;
  readonly message_id: string;
  readonly time: string;
  readonly received_ms: number;
  readonly is_proved: boolean;
  readonly result: string | null;
  readonly run_id: string | null;
};

async function explainTriggers(
  sql: Sql,
  { applicationId, automation, definition, trigger }: Asked,
  user: { readonly id: string; readonly is_registered: boolean },
): Promise<ExplainedTrigger[]> {
  const context = await readConditionContext(sql, applicationId);
  const now = await readNow(sql);
  const { rows } = await sql.query<TriggerRow>(statement('read-last-triggers'), [
    user.id,
    slugsOf(context, trigger.event),
    automation.id,
    TRIGGERS_MAX,
  ]);
  const keys = rows.map((row) => ({
    requestId: row.request_id,
    messageIndex: row.message_index,
    receivedAt: row.received_ms,
  }));
  const ask = (where: EventTrigger['where']): Promise<StoredEvent[]> =>
    selectEvents(sql, {
      context,
      now,
      named: { event: trigger.event, ...(where !== undefined && { where }) },
      keys,
    });
  const all = new Map((await ask(undefined)).map((event) => [placeOf(event), event]));
  // Each comparison by itself: the first that is false is the reason.
  const passing: Set<string>[] = [];
  for (const comparison of trigger.where ?? [])
    passing.push(new Set((await ask([comparison])).map(placeOf)));
  return rows.flatMap((row): ExplainedTrigger[] => {
    const explained = explain(row);
    // What became of it was deleted by now.
    const isForgotten = automation.status === 'stopped' || now - row.received_ms > UNDECIDED_MAX_MS;
    return explained.result === 'pending' && isForgotten ? [] : [explained];
  });

  function explain(row: TriggerRow): ExplainedTrigger {
    const place = placeOf({ requestId: row.request_id, messageIndex: row.message_index });
    const shown = { eventId: row.message_id, at: readTime(row.time) };
    if (row.result === 'entered')
      return { ...shown, result: 'entered', ...(row.run_id !== null && { runId: row.run_id }) };
    const skipped = (reason: EntryRefusal, pointer?: string): ExplainedTrigger => ({
      ...shown,
      result: 'skipped',
      reason,
      ...(pointer !== undefined && { pointer }),
    });
    if (row.result !== null) {
      const reason = row.result as EntryRefusal;
      return skipped(reason, POINTERS[reason]);
    }
    if (!user.is_registered) return skipped('not_registered');
    const { activatedAt } = automation;
    if (activatedAt === null || row.received_ms < activatedAt) return skipped('before_activation');
    if (!row.is_proved && trigger.from !== 'anyone') return skipped('not_proved', '/trigger/from');
    const { maxAge = MAX_AGE } = trigger;
    if (maxAge !== null && row.received_ms - Number(row.time) > toMs(maxAge))
      return skipped('max_age', '/trigger/maxAge');
    const refusing = passing.findIndex((places) => !places.has(place));
    if (refusing >= 0) return skipped('where', `/trigger/where/${refusing}`);
    // Who registered later was too late for it.
    if (maxAge !== null && now - Number(row.time) > toMs(maxAge))
      return skipped('max_age', '/trigger/maxAge');
    if (entryKeyOf(definition.entry ?? {}, all.get(place)?.attributes ?? null) === null)
      return skipped('where', '/entry/key');
    return { ...shown, result: 'pending' };
  }
}

/** What of the definition refuses by these reasons. */
const POINTERS: Readonly<Partial<Record<EntryRefusal, string>>> = {
  filter: '/filter',
  re_entry: '/entry/again',
};

const placeOf = ({
  requestId,
  messageIndex,
}: {
  readonly requestId: string;
  readonly messageIndex: number;
}): string => `${requestId} ${messageIndex}`;

const readTime = (time: string): number | bigint =>
  Number.isSafeInteger(Number(time)) ? Number(time) : BigInt(time);
