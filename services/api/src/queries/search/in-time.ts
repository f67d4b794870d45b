import type { Clock } from '@tidings/platform';
import { boundTransactions } from '@tidings/postgres/bound-transactions';
import { isCanceled, type Database, type Sql } from '@tidings/postgres/database';
import { createTurns } from '@tidings/segments/question-turns';

/**
 * Runs in a transaction of its own that changes nothing. `hasTime`: for a statement that takes up to
 * four times as long as all before it.
 */
export type BoundedWork<T> = (sql: Sql, hasTime: () => boolean) => Promise<T>;

/**
 * Runs work of a search when its application has a turn. Null: it took or waited too long.
 * `patience`: how many times longer than a part of a search it may take.
 */
export type InTime = <T>(
  applicationId: string,
  work: BoundedWork<T>,
  patience?: number,
) => Promise<T | null>;

type SearchBounds = {
  /** Of each work, once it has its turn. */
  readonly timeoutMs: number;
  /** Work at a time in this process, each with a connection. */
  readonly places: number;
};

/** A page of a list may take this many times longer than a part of a search while typing. */
export const PAGE_PATIENCE = 10;

/** Work that waits this many times longer than it may run is not begun. */
const WAITS = 2;
const PLACES_OF_APPLICATION = 2;
/** A search has at most seven parts. */
const WAITERS_MAX = 60;
const WAITERS_OF_APPLICATION_MAX = 15;

/** Bounds what searches take of the connections and of time. Applications take turns. */
export function createInTime(
  db: Database,
  { timeoutMs, places }: SearchBounds,
  clock: Clock,
): InTime {
  const turns = createTurns({
    places,
    // Another application finds a place.
    placesOfApplication: Math.max(1, Math.min(places - 1, PLACES_OF_APPLICATION)),
    waitersMax: WAITERS_MAX,
    waitersOfApplicationMax: WAITERS_OF_APPLICATION_MAX,
    waitMs: WAITS * timeoutMs,
  });
  return async (applicationId, work, patience = 1) => {
    const totalMs = patience * timeoutMs;
    const bounded = boundTransactions(db, { totalMs, statementMs: totalMs }, clock);
    const answer = await turns.take(applicationId, () => {
      const endsAt = clock.monotonicMs() + totalMs / 5;
      return unlessCanceled(
        bounded.transaction(async (sql) => {
          await sql.query('set transaction read only; set local jit = off');
          return work(sql, () => clock.monotonicMs() < endsAt);
        }),
      );
    });
    return answer === 'busy' ? null : answer;
  };
}

async function unlessCanceled<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isCanceled(error)) return null;
    throw error;
  }
}
