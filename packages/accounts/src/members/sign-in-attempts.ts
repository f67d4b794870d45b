import type { Database, Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { hashSecret } from '../secret-hash.ts';
import { emailKey } from './member.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

/** Guesses that are free, and the longest wait that each further one doubles up to. */
const LIMITS = {
  /** One account from one address. */
  place: { free: 5, waitSecondsMax: 900 },
  /** Any accounts from one address, which may be that of a whole office. */
  address: { free: 50, waitSecondsMax: 900 },
  /** One account from any addresses. The wait is short: at an address that is new, it is the owner's too. */
  account: { free: 100, waitSecondsMax: 30 },
} as const;
const SCOPES = ['place', 'address', 'account'] as const;
type Scope = (typeof SCOPES)[number];

/** Failures count no more when there was none for so long. */
export const FAILURE_TTL_MS = DAY_MS;
/** Whoever was let in somewhere is not kept out there, for so long, by what others guess. */
export const TRUSTED_SOURCE_TTL_MS = 30 * DAY_MS;

/** What is no wait ends long ago, not now: whoever looked at the clock before, and came after, would wait for that now. */
const NO_WAIT = new Date(0);

/** Who wants to sign in, and from where. */
export type SignInSource = { readonly email: string; readonly addressBlock: string };

type Counter = {
  readonly scope: Scope;
  readonly key: Uint8Array;
  readonly failures: number;
  readonly failedAt: number;
  readonly blockedUntil: number;
};

function keysOf({ email, addressBlock }: SignInSource): Readonly<Record<Scope, Uint8Array>> {
  const account = emailKey(email);
  return {
    place: hashSecret(`place|${account}|${addressBlock}`),
    address: hashSecret(`address|${addressBlock}`),
    account: hashSecret(`account|${account}`),
  };
}

/**
 * Takes one guess: scope as a failure before the password is looked at, so that many at once are as many. After the free ones
 * each further one doubles the wait before the next. Null: go on, and unless it was wrong say so by `returnGuess`; else
 * the milliseconds to wait, and this one did not count and wrote nothing. @callers api
 */
export async function recordAttempt(
  db: Database,
  place: SignInSource,
  nowMs: number,
): Promise<number | null> {
  // Who has to wait costs a look: with a row for each new e-mail address, refused requests would fill the table.
  return (
    remainingWaitMs(await readCounters(db.sql, place, nowMs), nowMs) ??
    countAttempt(db, place, nowMs)
  );
}

function countAttempt(db: Database, place: SignInSource, nowMs: number): Promise<number | null> {
  return inTransaction(db, async (sql) => {
    const counters = await lockCounters(sql, place, nowMs);
    const waitMs = remainingWaitMs(counters, nowMs);
    if (waitMs !== null) return waitMs;
    const failures = counters.map((counter) =>
      counter.failedAt < nowMs - FAILURE_TTL_MS ? 1 : counter.failures + 1,
    );
    await sql.query(
      `update sign_in_failures f set failures = c.failures, failed_at = $4, blocked_until = c.blocked_until
       from unnest($1::bytea[], $2::int[], $3::timestamptz[]) as c (key, failures, blocked_until) where f.key = c.key`,
      [
        counters.map(({ key }) => key),
        failures,
        counters.map(({ scope }, at) => blockedUntil(scope, failures[at] ?? 0, nowMs)),
        new Date(nowMs),
      ],
    );
    return null;
  });
}

/** Milliseconds until the next guess is taken; null when it is now. */
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

/** The guess that was taken at `takenAtMs` was right, or never tried: it does not count. @callers api */
export async function refundAttempt(
  db: Database,
  place: SignInSource,
  takenAtMs: number,
): Promise<void> {
  await inTransaction(db, (sql) => refund(sql, place, takenAtMs));
}

/**
 * The account was let in at this address, whichever way: its failures there count no more. Those of other accounts at the
 * address, and of other addresses that tried the account, do: one account of one's own would else pay for guesses at all
 * others. @callers api
 */
export async function trustSource(db: Database, place: SignInSource, nowMs: number): Promise<void> {
  await db.sql.query(
    `insert into sign_in_failures as f (key, failures, failed_at, blocked_until, let_in_at) values ($1, 0, $2, $3, $2)
     on conflict (key) do update set failures = 0, blocked_until = excluded.blocked_until, let_in_at = excluded.let_in_at`,
    [keysOf(place).place, new Date(nowMs), NO_WAIT],
  );
}

/** A wait that began with another guess stays. */
async function refund(sql: Sql, place: SignInSource, takenAtMs: number): Promise<void> {
  const counters = await lockCounters(sql, place, takenAtMs);
  await sql.query(
    `update sign_in_failures set failures = greatest(failures - 1, 0), blocked_until = case when failed_at = $2 then $3 else blocked_until end where key = any($1)`,
    [counters.map(({ key }) => key), new Date(takenAtMs), NO_WAIT],
  );
}

type CounterRow = {
  readonly scope: Scope;
  readonly key: Uint8Array;
  readonly failures: number;
  readonly failed_at: Date;
  readonly blocked_until: Date;
  readonly let_in_at: Date | null;
};

/** What a guess counts for, locked in the order of the keys, as everybody does; those that are missing are made. */
async function lockCounters(
  sql: Sql,
  place: SignInSource,
  nowMs: number,
): Promise<readonly Counter[]> {
  const keys = keysOf(place);
  const { rows } = await sql.query<CounterRow>(
    `with locked as (
       insert into sign_in_failures as f (key, failures, failed_at, blocked_until)
       select key, 0, $3::timestamptz, $4::timestamptz from unnest($1::bytea[]) as key order by key
       on conflict (key) do update set failures = f.failures returning f.*)
     select c.scope, l.* from locked l join unnest($1::bytea[], $2::text[]) as c (key, scope) on c.key = l.key`,
    [SCOPES.map((scope) => keys[scope]), SCOPES, new Date(nowMs), NO_WAIT],
  );
  return toCounters(rows, nowMs);
}

/** The same as they stand; those that are missing were never scope. */
async function readCounters(
  sql: Sql,
  place: SignInSource,
  nowMs: number,
): Promise<readonly Counter[]> {
  const keys = keysOf(place);
  const { rows } = await sql.query<CounterRow>(
    'select c.scope, f.* from unnest($1::bytea[], $2::text[]) as c (key, scope) join sign_in_failures f on f.key = c.key',
    [SCOPES.map((scope) => keys[scope]), SCOPES],
  );
  return toCounters(rows, nowMs);
}

function toCounters(rows: readonly CounterRow[], nowMs: number): readonly Counter[] {
  const letInAt = rows.find(({ scope }) => scope === 'place')?.let_in_at?.getTime() ?? -Infinity;
  const isKnownPlace = letInAt > nowMs - TRUSTED_SOURCE_TTL_MS;
  return rows
    .filter(({ scope }) => scope === 'place' || !isKnownPlace)
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
