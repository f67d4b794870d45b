import type { Database, Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { hashSecret } from '../secret-hash.ts';
import { emailKey } from './member.ts';

const statement = statementsIn(import.meta.dirname);

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Free attempts per scope. Each further attempt doubles the wait, up to the maximum. */
const LIMITS = {
  /** One account from one source address. */
  source: { free: 5, waitSecondsMax: 900 },
  /** Any account from one source address, which may belong to a whole office. */
  address: { free: 50, waitSecondsMax: 900 },
  /**
   * One account from any address. The wait is short because it also delays the owner at a new
   * address.
   */
  account: { free: 100, waitSecondsMax: 30 },
} as const;
const SCOPES = ['source', 'address', 'account'] as const;
type Scope = (typeof SCOPES)[number];

/** A failure stops counting 24 hours after the last failure of its scope. */
export const FAILURE_TTL_MS = DAY_MS;
/**
 * For 30 days after a successful sign-in, only failures of this account at this source count there.
 */
export const TRUSTED_SOURCE_TTL_MS = 30 * DAY_MS;

/**
 * "No wait" is the epoch, not the current time: a caller with an earlier clock reading would
 * otherwise have to wait.
 */
const NO_WAIT = new Date(0);

/** The account and the source address of a sign-in. */
export type SignInSource = { readonly email: string; readonly addressBlock: string };

type Counter = {
  readonly scope: Scope;
  readonly key: Uint8Array;
  readonly failures: number;
  readonly failedAt: number;
  readonly blockedUntil: number;
};

/** The keys that attempts are counted under. */
export function buildKeys({
  email,
  addressBlock,
}: SignInSource): Readonly<Record<Scope, Uint8Array>> {
  const account = emailKey(email);
  return {
    source: hashSecret(`place|${account}|${addressBlock}`),
    address: hashSecret(`address|${addressBlock}`),
    account: hashSecret(`account|${account}`),
  };
}

/**
 * Records one sign-in attempt. It counts as a failure before the password is checked, so that
 * concurrent attempts all count. After the free attempts, each further one doubles the wait.
 * Returns null when the attempt may proceed; call `refundAttempt` unless the password is wrong.
 * Otherwise returns the milliseconds to wait; the attempt is neither counted nor stored.
 * @callers api
 */
export async function recordAttempt(
  db: Database,
  source: SignInSource,
  nowMs: number,
): Promise<number | null> {
  // Read first: if blocked attempts wrote a row per e-mail address, they would fill the table.
  return (
    remainingWaitMs(await readCounters(db.sql, source, nowMs), nowMs) ??
    countAttempt(db, source, nowMs)
  );
}

function countAttempt(db: Database, source: SignInSource, nowMs: number): Promise<number | null> {
  return inTransaction(db, async (sql) => {
    const counters = await lockCounters(sql, source, nowMs);
    const waitMs = remainingWaitMs(counters, nowMs);
    if (waitMs !== null) return waitMs;
    const failures = counters.map((counter) =>
      counter.failedAt < nowMs - FAILURE_TTL_MS ? 1 : counter.failures + 1,
    );
    await sql.query(statement('count-sign-in-attempt'), [
      counters.map(({ key }) => key),
      failures,
      counters.map(({ scope }, at) => blockedUntil(scope, failures[at] ?? 0, nowMs)),
      new Date(nowMs),
    ]);
    return null;
  });
}

/** Milliseconds until the next attempt is allowed; null when it is allowed now. */
function remainingWaitMs(counters: readonly Counter[], nowMs: number): number | null {
  const waitMs = Math.max(0, ...counters.map((counter) => counter.blockedUntil - nowMs));
  return waitMs > 0 ? waitMs : null;
}

function blockedUntil(scope: Scope, failures: number, nowMs: number): Date {
  const { free, waitSecondsMax } = LIMITS[scope];
  return failures < free
    ? NO_WAIT
    : new Date(nowMs + SECOND_MS * Math.min(waitSecondsMax, 2 ** (failures - free)));
}

/**
 * Removes the attempt recorded at `takenAtMs`: the password was right, or was never checked.
 * @callers api
 */
export async function refundAttempt(
  db: Database,
  source: SignInSource,
  takenAtMs: number,
): Promise<void> {
  await inTransaction(db, (sql) => refund(sql, source, takenAtMs));
}

/**
 * Records a successful sign-in by any method. Clears the failures of this account at this source.
 * Failures of other accounts at the source, and of other sources, still count. Otherwise an
 * attacker could sign in to an own account to reset the limits for all others.
 * @callers api
 */
export async function trustSource(
  db: Database,
  source: SignInSource,
  nowMs: number,
): Promise<void> {
  await db.sql.query(statement('trust-sign-in-source'), [
    buildKeys(source).source,
    new Date(nowMs),
    NO_WAIT,
  ]);
}

/** Keeps a wait that another attempt started. */
async function refund(sql: Sql, source: SignInSource, takenAtMs: number): Promise<void> {
  const counters = await lockCounters(sql, source, takenAtMs);
  await sql.query(statement('refund-sign-in-attempt'), [
    counters.map(({ key }) => key),
    new Date(takenAtMs),
    NO_WAIT,
  ]);
}

type CounterRow = {
  readonly scope: Scope;
  readonly key: Uint8Array;
  readonly failures: number;
  readonly failed_at: Date;
  readonly blocked_until: Date;
  readonly let_in_at: Date | null;
};

/**
 * Locks the counters of an attempt in the order of their keys, so that transactions cannot
 * deadlock. Creates missing counters.
 */
async function lockCounters(
  sql: Sql,
  source: SignInSource,
  nowMs: number,
): Promise<readonly Counter[]> {
  const keys = buildKeys(source);
  const { rows } = await sql.query<CounterRow>(statement('lock-sign-in-counters'), [
    SCOPES.map((scope) => keys[scope]),
    SCOPES,
    new Date(nowMs),
    NO_WAIT,
  ]);
  return toCounters(rows, nowMs);
}

/** Reads the counters without locking or creating any. */
async function readCounters(
  sql: Sql,
  source: SignInSource,
  nowMs: number,
): Promise<readonly Counter[]> {
  const keys = buildKeys(source);
  const { rows } = await sql.query<CounterRow>(statement('read-sign-in-counters'), [
    SCOPES.map((scope) => keys[scope]),
    SCOPES,
  ]);
  return toCounters(rows, nowMs);
}

function toCounters(rows: readonly CounterRow[], nowMs: number): readonly Counter[] {
  const trustedAt = rows.find(({ scope }) => scope === 'source')?.let_in_at?.getTime() ?? -Infinity;
  const isTrustedSource = trustedAt > nowMs - TRUSTED_SOURCE_TTL_MS;
  return rows
    .filter(({ scope }) => scope === 'source' || !isTrustedSource)
    .map(({ scope, key, failures, failed_at, blocked_until }) => ({
      scope,
      key,
      failures,
      failedAt: failed_at.getTime(),
      blockedUntil: blocked_until.getTime(),
    }));
}

function inTransaction<T>(db: Database, work: (sql: Sql) => Promise<T>): Promise<T> {
  return retryConflicts(() => db.transaction(work));
}
