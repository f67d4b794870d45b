import { sleep, type Logger, type Timers } from '@tidings/platform';
import type { Client } from 'pg';
import { ADVISORY_LOCKS, type AdvisoryLock } from './advisory-locks.ts';
import { isDatabaseUnavailable, isLoginRejected } from './database.ts';
import { connectDedicated } from './dedicated-connection.ts';

/** Any number of sessions hold a shared lock at a time; an exclusive one has a single holder. */
export type LockMode = 'exclusive' | 'shared';

export type SessionLockOptions = {
  readonly databaseUrl: string;
  readonly applicationName: string;
  readonly lock: AdvisoryLock;
  readonly mode: LockMode;
  readonly timers: Timers;
  readonly logger: Logger;
  /** Called every half second while other sessions hold the lock, with the mode of theirs. */
  readonly onRefused: (held: LockMode) => void;
  /** Called once if the connection was lost and another session has the lock since. */
  readonly onTaken: () => void;
};

const POLL_MS = 500;
const TRY = {
  exclusive: 'select pg_try_advisory_lock($1) as "isOurs"',
  shared: 'select pg_try_advisory_lock_shared($1) as "isOurs"',
} as const satisfies Record<LockMode, string>;
const HELD = `select case mode when 'ExclusiveLock' then 'exclusive' else 'shared' end as mode
  from pg_locks
  where locktype = 'advisory' and objsubid = 1 and granted
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint = $1::bigint >> 32 and objid::bigint = $1::bigint & 4294967295
  limit 1`;
const OWN_SESSION = `select pid, backend_start::text as "startedAt"
  from pg_stat_activity where pid = pg_backend_pid()`;
/** Waits up to 3 s for its end. */
const END_SESSION = `select pg_terminate_backend(pid, 3000)
  from pg_stat_activity where pid = $1 and backend_start = $2::timestamptz`;

type Session = { readonly pid: number; readonly startedAt: string };

/**
 * An advisory lock of a session, on a connection of its own. Postgres frees it when the process or
 * its machine is gone. It polls, because a statement that waits would hold up concurrent index
 * builds and later shared locks.
 */
export class SessionLock {
  readonly #options: SessionLockOptions;
  readonly #releasing = new AbortController();
  #client: Client | undefined;
  /** The session of the latest connection. */
  #session: Session | undefined;
  #isAway = false;
  /**
   * Resolves when the lock is held for the first time. Waits while others hold it and while
   * Postgres is unavailable. Rejects with other errors, such as a wrong password, and if the lock is
   * released before.
   */
  readonly held: Promise<void>;

  constructor(options: SessionLockOptions) {
    this.#options = options;
    this.held = this.#take();
  }

  async release(): Promise<void> {
    this.#releasing.abort();
    await this.#disconnect();
  }

  async #take(): Promise<void> {
    while (!this.#isReleased()) {
      try {
        await this.#connect();
        while (!(await this.#try())) {
          await this.#reportRefusal();
          await this.#pause();
        }
        this.#watch();
        return;
      } catch (error) {
        await this.#disconnect();
        if (this.#isReleased()) break;
        if (isLoginRejected(error) || !isDatabaseUnavailable(error)) throw error;
        await this.#waitForPostgres(error);
      }
    }
    throw new Error('the lock was released while it was waited for');
  }

  /** Never rejects. */
  async #takeAgain(): Promise<void> {
    const { logger, onTaken } = this.#options;
    const lost = this.#session;
    logger.warn('the connection that holds the lock was lost, taking the lock again');
    while (!this.#isReleased()) {
      try {
        await this.#connect();
        // Postgres may not have noticed the loss: then this process would be refused by itself.
        if (lost !== undefined) await this.#ask(END_SESSION, [lost.pid, lost.startedAt]);
        if (await this.#try()) {
          this.#watch();
          logger.info('the lock is held again');
          return;
        }
        await this.#disconnect();
        return onTaken();
      } catch (error) {
        await this.#disconnect();
        if (!this.#isReleased()) await this.#waitForPostgres(error);
      }
    }
  }

  async #connect(): Promise<void> {
    this.#client = await connectDedicated(this.#options);
    if (this.#isReleased()) throw new Error('the lock was released');
    this.#session = await this.#ask<Session>(OWN_SESSION);
    this.#isAway = false;
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  async #try(): Promise<boolean> {
    const { lock, mode } = this.#options;
    const row = await this.#ask<{ isOurs: boolean }>(TRY[mode], [ADVISORY_LOCKS[lock]]);
    return row?.isOurs === true;
  }

  async #reportRefusal(): Promise<void> {
    const { lock, onRefused } = this.#options;
    const row = await this.#ask<{ mode: LockMode }>(HELD, [ADVISORY_LOCKS[lock]]);
    // Undefined: it was freed meanwhile.
    if (row !== undefined) onRefused(row.mode);
  }

  async #ask<Row extends object>(
    statement: string,
    values: readonly unknown[] = [],
  ): Promise<Row | undefined> {
    if (this.#client === undefined) throw new Error('the lock was released');
    return (await this.#client.query<Row>(statement, [...values])).rows[0];
  }

  #watch(): void {
    this.#client?.once('end', () => {
      if (!this.#isReleased()) void this.#takeAgain();
    });
  }

  async #waitForPostgres(error: unknown): Promise<void> {
    if (!this.#isAway)
      this.#options.logger.warn({ err: error }, 'cannot take the lock in Postgres, retrying');
    this.#isAway = true;
    await this.#pause();
  }

  async #pause(): Promise<void> {
    await sleep(this.#options.timers, POLL_MS, this.#releasing.signal);
  }

  #isReleased(): boolean {
    return this.#releasing.signal.aborted;
  }
}
