import type { AutomationEntry } from '@tidings/contracts/automations/definition';
import { systemIds } from '@tidings/platform';
import {
  dataErrorState,
  isCanceled,
  isTransactionConflict,
  type Sql,
} from '@tidings/postgres/database';
import { definePrepared } from '@tidings/postgres/define-prepared';
import { statementsIn } from '@tidings/postgres/statements';
import { shardOf } from '@tidings/user-changes/changes';
import type { Stepping } from './advance.ts';
import { isFull } from './capacity.ts';
import { refusalOf } from './refusal.ts';

/** A person is in an automation once, or once for each key. */
const UNIQUE_VIOLATION = '23505';

const statement = statementsIn(import.meta.dirname);
const READ_ENTERABLE = definePrepared(statement('read-enterable'));
const READ_DECIDED = definePrepared(statement('read-decided'));
const READ_EARLIER = definePrepared(statement('read-earlier-entries'));
const INSERT_TRIGGERS = definePrepared(statement('insert-triggers'));
const INSERT_RUNS = definePrepared(statement('insert-runs'));

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

/** A person whom something enters: an event, or an instant of another trigger. */
export type Entrant = {
  readonly userId: string;
  /** Tells apart the runs of the person. */
  readonly key: string;
  /** What it is decided by, once: the key of the event, or one of the person and the instant. */
  readonly requestId: string;
  readonly messageIndex: number;
  /** In a pause it enters no one. Milliseconds. */
  readonly receivedAt: number;
  /** What exits and waits ask for is later than this. */
  readonly time: number | bigint;
  readonly messageId: string | null;
  /** Until when the run waits for the profile that came with its event; null: it does not. */
  readonly settlesUntil: number | null;
  /** What enters them, unless it is an event. */
  readonly kind: string | null;
};

export type Deciding = {
  readonly automation: Enterable;
  readonly entry: AutomationEntry;
  readonly now: number;
};

/**
 * Does work for some people of an automation, and returns the runs that it made. What fails is halved
 * until the one is found that cannot be decided: it is passed, so that others are.
 */
export async function inHalves<T>(
  { sql, onEntryFailure }: Pick<Stepping, 'sql' | 'onEntryFailure'>,
  automationId: string,
  {
    people,
    work,
    isRepeated = false,
  }: {
    readonly people: readonly T[];
    readonly work: (some: readonly T[]) => Promise<readonly string[]>;
    readonly isRepeated?: boolean;
  },
): Promise<string[]> {
  if (people.length === 0) return [];
  await sql.query('savepoint entry');
  try {
    const made = await work(people);
    await sql.query('release savepoint entry');
    return [...made];
  } catch (error) {
    await sql.query('rollback to savepoint entry');
    if (isTransactionConflict(error) || isCanceled(error)) throw error;
    // A run that had failed was tried again meanwhile: its person is in it after all.
    if (dataErrorState(error) === UNIQUE_VIOLATION && !isRepeated)
      return inHalves({ sql, onEntryFailure }, automationId, { people, work, isRepeated: true });
    if (people.length === 1) {
      onEntryFailure(error, automationId);
      return [];
    }
  }
  const half = Math.ceil(people.length / 2);
  const below = async (some: readonly T[]): Promise<string[]> =>
    inHalves({ sql, onEntryFailure }, automationId, { people: some, work });
  return [...(await below(people.slice(0, half))), ...(await below(people.slice(half)))];
}

/** Whether something came during the last pause. */
const isInPause = ({ pauseBeganAt, pauseEndedAt }: Enterable, receivedAt: number): boolean =>
  pauseBeganAt !== null &&
  receivedAt >= pauseBeganAt &&
  (pauseEndedAt === null || receivedAt <= pauseEndedAt);

export const placeOf = ({
  requestId,
  messageIndex,
}: Pick<Entrant, 'requestId' | 'messageIndex'>): string => `${requestId} ${messageIndex}`;

/**
 * Makes runs of those who may enter, and notes why others may not. Each is decided once for each
 * automation. Returns the ids of the runs, which have not begun. The shard of the people is locked.
 * @callers automations
 */
export async function decide(
  sql: Sql,
  { automation, entry, now }: Deciding,
  entrants: readonly Entrant[],
): Promise<string[]> {
  const decided = await readDecided(sql, automation.id, entrants);
  const fresh = entrants.filter((entrant) => !decided.has(placeOf(entrant)));
  if (fresh.length === 0) return [];
  const earlier = await readEarlier(sql, automation.id, fresh);
  const hasRoom = !(await isFull(sql, automation.applicationId));
  const results = fresh.map((entrant) => {
    const refusal = isInPause(automation, entrant.receivedAt)
      ? 'paused'
      : refusalOf(entry, {
          hasRoom,
          now,
          isRunning: earlier.isRunning(entrant),
          runs: earlier.runsOf(entrant),
          lastEntered: earlier.lastEntered(entrant),
        });
    if (refusal !== null) return { entrant, result: refusal, runId: null };
    earlier.running(entrant);
    return { entrant, result: 'entered' as const, runId: systemIds.uuid() };
  });
  await sql.query(INSERT_TRIGGERS, [
    automation.id,
    automation.applicationId,
    results.map(({ entrant }) => entrant.requestId),
    results.map(({ entrant }) => entrant.messageIndex),
    results.map(({ entrant }) => entrant.userId),
    results.map(({ result }) => result),
    results.map(({ runId }) => runId),
    results.map(({ entrant }) => entrant.kind),
    results.map(({ entrant }) => (entrant.kind === null ? null : entrant.receivedAt)),
  ]);
  const entered = results.flatMap(({ entrant, runId }) =>
    runId === null ? [] : [{ entrant, runId }],
  );
  if (entered.length === 0) return [];
  const column = <T>(of: (entrant: Entrant) => T): T[] => entered.map(({ entrant }) => of(entrant));
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
    column(({ time }) => String(time)),
    column(({ messageId }) => messageId),
    column(({ settlesUntil }) => settlesUntil),
  ]);
  return entered.map(({ runId }) => runId);
}

async function readDecided(
  sql: Sql,
  automationId: string,
  entrants: readonly Entrant[],
): Promise<Set<string>> {
  if (entrants.length === 0) return new Set();
  const { rows } = await sql.query<{ request_id: string; message_index: number }>(READ_DECIDED, [
    automationId,
    entrants.map(({ requestId }) => requestId),
    entrants.map(({ messageIndex }) => messageIndex),
  ]);
  return new Set(
    rows.map((row) => placeOf({ requestId: row.request_id, messageIndex: row.message_index })),
  );
}

type Person = Pick<Entrant, 'userId' | 'key'>;

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
  entrants: readonly Entrant[],
): Promise<Earlier> {
  const { rows } = await sql.query<{
    user_id: string;
    entry_key: string;
    last_entered: number | null;
    is_running: boolean;
  }>(READ_EARLIER, [automationId, [...new Set(entrants.map(({ userId }) => userId))]]);
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
