import type { AutomationEntry, AutomationTrigger } from '@tidings/contracts/automations/definition';
import { systemIds } from '@tidings/platform';
import { isCanceled, isTransactionConflict, type Sql } from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { toMs } from '@tidings/segments/durations';
import { selectEvents, type EventKey, type StoredEvent } from '@tidings/segments/person-events';
import { shardOf } from '@tidings/user-changes/changes';
import type { Stepping } from './advance.ts';
import { isFull } from './capacity.ts';
import { entryKeyOf } from './entry-key.ts';
import { slugsOf } from './listen-for.ts';
import { readProgram } from './programs.ts';
import { refusalOf } from './refusal.ts';

const statement = statementsIn(import.meta.dirname);
const READ_ENTERABLE = definePrepared(statement('read-enterable'));
const READ_DECIDED = definePrepared(statement('read-decided'));
const READ_EARLIER = definePrepared(statement('read-earlier-entries'));
const INSERT_TRIGGERS = definePrepared(statement('insert-triggers'));
const INSERT_RUNS = definePrepared(statement('insert-runs'));

/** How late an event may be received where the trigger does not say. */
export const MAX_AGE = '1h';
/** How long a run waits for the profile that came with its event. */
const SETTLES_MS = 10_000;

/** An event of a registered person that may enter them somewhere. */
export type Candidate = EventKey & {
  readonly applicationId: string;
  /** The person. */
  readonly userId: string;
  readonly slug: string;
  /** When it could enter them first: received, or their registration. Milliseconds. */
  readonly seenAt: number;
  /** Whether its request had messages about the profile. */
  readonly hasUserMessages: boolean;
};

/** Automations that people may enter now. */
export type Enterable = {
  readonly id: string;
  readonly applicationId: string;
  readonly version: number;
  /** Milliseconds. */
  readonly activatedAt: number;
  /** Of the last pause, if there was one; its end is null while it lasts. */
  readonly pauseBeganAt: number | null;
  readonly pauseEndedAt: number | null;
};

export async function readEnterable(
  sql: Sql,
  applicationIds: readonly string[],
): Promise<Enterable[]> {
  const { rows } = await sql.query<{
    id: string;
    application_id: string;
    version: number | null;
    activated_at: number | null;
    pause_began_at: number | null;
    pause_ended_at: number | null;
  }>(READ_ENTERABLE, [applicationIds]);
  return rows.flatMap(({ version, activated_at: activatedAt, ...row }) =>
    version === null || activatedAt === null
      ? []
      : [
          {
            id: row.id,
            applicationId: row.application_id,
            version,
            activatedAt,
            pauseBeganAt: row.pause_began_at,
            pauseEndedAt: row.pause_ended_at,
          },
        ],
  );
}

/**
 * Makes a run of each event that enters its person, and notes why others do not. Each event is
 * decided once for each automation, however often it is read. Returns the ids of the runs, which have
 * not begun. An event that cannot be decided is passed, so that others are. The shard of the people is
 * locked.
 * @callers automations
 */
export async function enter(
  { sql, now, contextOf, onEntryFailure }: Stepping,
  candidates: readonly Candidate[],
): Promise<string[]> {
  const applicationIds = [...new Set(candidates.map(({ applicationId }) => applicationId))];
  if (applicationIds.length === 0) return [];
  const made: string[] = [];
  for (const automation of await readEnterable(sql, applicationIds)) {
    const { definition } = await readProgram(sql, {
      automationId: automation.id,
      version: automation.version,
    });
    const { trigger, entry = { again: 'never' } } = definition;
    if (!('event' in trigger)) continue;
    const context = await contextOf(automation.applicationId);
    const slugs = slugsOf(context, trigger.event);
    const own = candidates.filter(
      ({ applicationId, slug, receivedAt }) =>
        applicationId === automation.applicationId &&
        slugs.includes(slug) &&
        receivedAt >= automation.activatedAt,
    );
    if (own.length === 0) continue;
    const enterSome = async (some: readonly Candidate[]): Promise<void> => {
      await sql.query('savepoint entry');
      try {
        const events = await selectEvents(sql, { context, now, named: trigger, keys: some });
        const found = matchesOf(some, events, { trigger, entry });
        made.push(...(await decide(sql, { automation, entry, now }, found)));
        await sql.query('release savepoint entry');
      } catch (error) {
        await sql.query('rollback to savepoint entry');
        if (isTransactionConflict(error) || isCanceled(error)) throw error;
        if (some.length === 1) {
          onEntryFailure(error, automation.id);
          return;
        }
        const half = Math.ceil(some.length / 2);
        await enterSome(some.slice(0, half));
        await enterSome(some.slice(half));
      }
    };
    await enterSome(own);
  }
  return made;
}

/** Whether an event was received during the last pause. */
const isInPause = ({ pauseBeganAt, pauseEndedAt }: Enterable, receivedAt: number): boolean =>
  pauseBeganAt !== null &&
  receivedAt >= pauseBeganAt &&
  (pauseEndedAt === null || receivedAt <= pauseEndedAt);

/** A candidate whose event has what the trigger asks for, with the key of its run. */
type Match = Candidate & { readonly event: StoredEvent; readonly key: string };

const placeOf = ({ requestId, messageIndex }: Omit<EventKey, 'receivedAt'>): string =>
  `${requestId} ${messageIndex}`;

function matchesOf(
  candidates: readonly Candidate[],
  events: readonly StoredEvent[],
  {
    trigger,
    entry,
  }: {
    readonly trigger: Extract<AutomationTrigger, { event: unknown }>;
    readonly entry: AutomationEntry;
  },
): Match[] {
  const stored = new Map(events.map((event) => [placeOf(event), event]));
  const { maxAge = MAX_AGE, from } = trigger;
  return candidates.flatMap((candidate) => {
    const event = stored.get(placeOf(candidate));
    if (event === undefined || (!event.isProved && from !== 'anyone')) return [];
    if (maxAge !== null && candidate.seenAt - Number(event.time) > toMs(maxAge)) return [];
    const key = entryKeyOf(entry, event.attributes);
    return key === null ? [] : [{ ...candidate, event, key }];
  });
}

type Deciding = {
  readonly automation: Enterable;
  readonly entry: AutomationEntry;
  readonly now: number;
};

async function decide(
  sql: Sql,
  { automation, entry, now }: Deciding,
  matches: readonly Match[],
): Promise<string[]> {
  const decided = await readDecided(sql, automation.id, matches);
  const fresh = matches.filter((match) => !decided.has(placeOf(match)));
  if (fresh.length === 0) return [];
  const earlier = await readEarlier(sql, automation.id, fresh);
  const hasRoom = !(await isFull(sql, automation.applicationId));
  const results = fresh.map((match) => {
    const refusal = isInPause(automation, match.receivedAt)
      ? 'paused'
      : refusalOf(entry, {
          hasRoom,
          now,
          isRunning: earlier.isRunning(match),
          runs: earlier.runsOf(match),
          lastEntered: earlier.lastEntered(match),
        });
    if (refusal !== null) return { match, result: refusal, runId: null };
    earlier.running(match);
    return { match, result: 'entered' as const, runId: systemIds.uuid() };
  });
  await sql.query(INSERT_TRIGGERS, [
    automation.id,
    automation.applicationId,
    results.map(({ match }) => match.requestId),
    results.map(({ match }) => match.messageIndex),
    results.map(({ match }) => match.userId),
    results.map(({ result }) => result),
    results.map(({ runId }) => runId),
  ]);
  const entered = results.flatMap(({ match, runId }) => (runId === null ? [] : [{ match, runId }]));
  if (entered.length === 0) return [];
  const column = <T>(of: (match: Match) => T): T[] => entered.map(({ match }) => of(match));
  await sql.query(INSERT_RUNS, [
    entered.map(({ runId }) => runId),
    automation.id,
    automation.applicationId,
    automation.version,
    column(({ userId }) => userId),
    column(({ key }) => key),
    column(({ userId }) => shardOf(userId)),
    column(({ requestId }) => requestId),
    column(({ messageIndex }) => messageIndex),
    column(({ receivedAt }) => receivedAt),
    column(({ event }) => String(event.time)),
    column(({ event }) => event.messageId),
    column(({ hasUserMessages }) => (hasUserMessages ? now + SETTLES_MS : null)),
  ]);
  return entered.map(({ runId }) => runId);
}

async function readDecided(
  sql: Sql,
  automationId: string,
  matches: readonly Match[],
): Promise<Set<string>> {
  if (matches.length === 0) return new Set();
  const { rows } = await sql.query<{ request_id: string; message_index: number }>(READ_DECIDED, [
    automationId,
    matches.map(({ requestId }) => requestId),
    matches.map(({ messageIndex }) => messageIndex),
  ]);
  return new Set(
    rows.map((row) => placeOf({ requestId: row.request_id, messageIndex: row.message_index })),
  );
}

type Person = Pick<Match, 'userId' | 'key'>;

/** Runs and entries that people had before, and those of this step. */
type Earlier = {
  isRunning(person: Person): boolean;
  runsOf(person: Person): number;
  lastEntered(person: Person): number | null;
  running(person: Person): void;
};

async function readEarlier(
  sql: Sql,
  automationId: string,
  matches: readonly Match[],
): Promise<Earlier> {
  const { rows } = await sql.query<{
    user_id: string;
    entry_key: string;
    last_entered: number | null;
    is_running: boolean;
  }>(READ_EARLIER, [automationId, [...new Set(matches.map(({ userId }) => userId))]]);
  const keyOf = ({ userId, key }: Person): string => `${userId} ${key}`;
  const last = new Map<string, number>();
  const running = new Map<string, Set<string>>();
  const add = ({ userId, key }: Person): void => {
    running.set(userId, (running.get(userId) ?? new Set()).add(key));
  };
  for (const { user_id: userId, entry_key: key, last_entered: at, is_running } of rows) {
    if (is_running) add({ userId, key });
    else if (at !== null) last.set(keyOf({ userId, key }), at);
  }
  return {
    isRunning: ({ userId, key }) => running.get(userId)?.has(key) === true,
    runsOf: ({ userId }) => running.get(userId)?.size ?? 0,
    lastEntered: (person) => last.get(keyOf(person)) ?? null,
    running: add,
  };
}
