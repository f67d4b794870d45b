import type { AutomationEntry, AutomationTrigger } from '@tidings/contracts/automations/definition';
import { itemAt, systemIds } from '@tidings/platform';
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
import { readPrograms } from './programs.ts';
import { refusalOf } from './refusal.ts';

/** A person is in an automation once, or once for each key. */
const UNIQUE_VIOLATION = '23505';

const statement = statementsIn(import.meta.dirname);
const READ_ENTERABLE = definePrepared(statement('read-enterable'));
const READ_DECIDED = definePrepared(statement('read-decided'));
const READ_EARLIER = definePrepared(statement('read-earlier-entries'));
const INSERT_TRIGGERS = definePrepared(statement('insert-triggers'));
const INSERT_RUNS = definePrepared(statement('insert-runs'));

/** Automations that people may enter now, with what their version says of it. */
export type Enterable = {
  readonly id: string;
  readonly applicationId: string;
  readonly version: number;
  readonly trigger: AutomationTrigger;
  readonly entry: AutomationEntry;
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
  const found = rows.flatMap(({ version, activated_at: activatedAt, ...row }) =>
    version === null || activatedAt === null ? [] : [{ ...row, version, activatedAt }],
  );
  const programs = await readPrograms(
    sql,
    found.map(({ id: automationId, version }) => ({ automationId, version })),
  );
  return found.map(({ version, activatedAt, ...row }, index) => {
    const { trigger, entry = { again: 'never' } } = itemAt(programs, index).definition;
    return {
      id: row.id,
      applicationId: row.application_id,
      version,
      trigger,
      entry,
      activatedAt,
      pauseBeganAt: row.pause_began_at,
      pauseEndedAt: row.pause_ended_at,
    };
  });
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

/** What an automation decides of a person. */
export type Claim<T> = { readonly automation: Enterable; readonly of: T };

/**
 * Does work for claims on automations of one application, those of each together, and returns the
 * runs that it made. What fails is halved until the one is found that cannot be decided: it is passed,
 * so that others are.
 */
export async function inHalves<T>(
  stepping: Pick<Stepping, 'sql' | 'onEntryFailure'> & { readonly isRepeated?: boolean },
  claims: readonly Claim<T>[],
  work: (some: readonly Claim<T>[]) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const { sql, isRepeated = false } = stepping;
  const [first] = claims;
  if (first === undefined) return [];
  await sql.query('savepoint entry');
  try {
    const made = await work(claims);
    await sql.query('release savepoint entry');
    return made;
  } catch (error) {
    await sql.query('rollback to savepoint entry');
    if (isTransactionConflict(error) || (isCanceled(error) && claims.length === 1)) throw error;
    // A run that had failed was tried again meanwhile: its person is in it after all.
    if (dataErrorState(error) === UNIQUE_VIOLATION && !isRepeated)
      return inHalves({ ...stepping, isRepeated: true }, claims, work);
    if (claims.length === 1) {
      stepping.onEntryFailure(error, first.automation.id);
      return [];
    }
  }
  const half = Math.ceil(claims.length / 2);
  const below = (some: readonly Claim<T>[]): Promise<readonly string[]> =>
    inHalves({ ...stepping, isRepeated: false }, some, work);
  return [...(await below(claims.slice(0, half))), ...(await below(claims.slice(half)))];
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
 * Makes runs of those who may enter, and notes why others may not: some statements for all automations
 * of an application. Each is decided once for each automation. Returns the ids of the runs, which have
 * not begun. The shard of the people is locked.
 * @callers automations
 */
export async function decide(
  sql: Sql,
  now: number,
  claims: readonly Claim<Entrant>[],
): Promise<string[]> {
  const decided = await readDecided(sql, claims);
  const fresh = claims.filter((claim) => !decided.has(decisionOf(claim)));
  const applicationId = fresh[0]?.automation.applicationId;
  if (applicationId === undefined) return [];
  const earlier = await readEarlier(sql, fresh);
  const hasRoom = !(await isFull(sql, applicationId));
  const results = fresh.map((claim) => {
    const { automation, of: entrant } = claim;
    const refusal = isInPause(automation, entrant.receivedAt)
      ? 'paused'
      : refusalOf(automation.entry, {
          hasRoom,
          now,
          isRunning: earlier.isRunning(claim),
          runs: earlier.runsOf(claim),
          lastEntered: earlier.lastEntered(claim),
        });
    if (refusal !== null) return { automation, entrant, result: refusal, runId: null };
    earlier.running(claim);
    return { automation, entrant, result: 'entered' as const, runId: systemIds.uuid() };
  });
  await sql.query(INSERT_TRIGGERS, [
    results.map(({ automation }) => automation.id),
    applicationId,
    results.map(({ entrant }) => entrant.requestId),
    results.map(({ entrant }) => entrant.messageIndex),
    results.map(({ entrant }) => entrant.userId),
    results.map(({ result }) => result),
    results.map(({ runId }) => runId),
    results.map(({ entrant }) => entrant.kind),
    results.map(({ entrant }) => (entrant.kind === null ? null : entrant.receivedAt)),
  ]);
  const entered = results.flatMap(({ runId, ...result }) =>
    runId === null ? [] : [{ ...result, runId }],
  );
  if (entered.length === 0) return [];
  const column = <T>(of: (entrant: Entrant) => T): T[] => entered.map(({ entrant }) => of(entrant));
  await sql.query(INSERT_RUNS, [
    entered.map(({ runId }) => runId),
    entered.map(({ automation }) => automation.id),
    applicationId,
    entered.map(({ automation }) => automation.version),
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

const decisionOf = ({ automation, of }: Claim<Entrant>): string =>
  `${automation.id} ${placeOf(of)}`;

async function readDecided(sql: Sql, claims: readonly Claim<Entrant>[]): Promise<Set<string>> {
  if (claims.length === 0) return new Set();
  const { rows } = await sql.query<{
    automation_id: string;
    request_id: string;
    message_index: number;
  }>(READ_DECIDED, [
    claims.map(({ automation }) => automation.id),
    claims.map(({ of }) => of.requestId),
    claims.map(({ of }) => of.messageIndex),
  ]);
  return new Set(rows.map((row) => `${row.automation_id} ${row.request_id} ${row.message_index}`));
}

/** Runs and entries that people had in automations before, and those of this step. */
type Earlier = {
  isRunning(claim: Claim<Entrant>): boolean;
  runsOf(claim: Claim<Entrant>): number;
  lastEntered(claim: Claim<Entrant>): number | null;
  running(claim: Claim<Entrant>): void;
};

async function readEarlier(sql: Sql, claims: readonly Claim<Entrant>[]): Promise<Earlier> {
  const personOf = ({ automation, of }: Claim<Entrant>): string => `${automation.id} ${of.userId}`;
  const people = [...new Map(claims.map((claim) => [personOf(claim), claim])).values()];
  const { rows } = await sql.query<{
    automation_id: string;
    user_id: string;
    entry_key: string;
    last_entered: number | null;
    is_running: boolean;
  }>(READ_EARLIER, [
    people.map(({ automation }) => automation.id),
    people.map(({ of }) => of.userId),
  ]);
  const last = new Map<string, number>();
  const running = new Map<string, Set<string>>();
  const add = (person: string, key: string): void => {
    running.set(person, (running.get(person) ?? new Set()).add(key));
  };
  for (const { entry_key: key, last_entered: at, is_running: isRunning, ...row } of rows) {
    const person = `${row.automation_id} ${row.user_id}`;
    if (isRunning) add(person, key);
    else if (at !== null) last.set(`${person} ${key}`, at);
  }
  return {
    isRunning: (claim) => running.get(personOf(claim))?.has(claim.of.key) === true,
    runsOf: (claim) => running.get(personOf(claim))?.size ?? 0,
    lastEntered: (claim) => last.get(`${personOf(claim)} ${claim.of.key}`) ?? null,
    running: (claim) => {
      add(personOf(claim), claim.of.key);
    },
  };
}
