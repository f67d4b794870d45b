import type { Endpoint } from '@tidings/api-spec/endpoint';
import { AppError, type Clock } from '@tidings/platform';
import type { Call } from '../http/call.ts';
import { createRecorder, type RecorderDependencies } from './audit.ts';
import { connection } from './request-context.ts';

export type FailedSignIn = { readonly endpoint: Endpoint; readonly call: Call<unknown, unknown> };

/** Records failed sign-ins in the audit log. */
export interface FailedSignIns {
  /**
   * Records a failed sign-in, with the member whose account it was, or null if there is none.
   * Returns at once: if the response waited for the write, its time would reveal which addresses
   * are members.
   */
  record(memberId: string | null, what: FailedSignIn): void;
  /** Resolves when all started writes are finished. */
  drain(): Promise<void>;
}

/**
 * Limits entries for unknown accounts: such attempts are free for the caller, and the audit log is
 * kept forever. Attempts on members are limited by the growing waits.
 */
const UNKNOWN_PER_HOUR_MAX = 60;
/** Maximum concurrent writes; further entries are dropped with a warning. */
const WRITING_MAX = 100;
const HOUR_MS = 3_600_000;

/** Returns whether one more entry fits into the current hour. */
function createHourlyBudget(clock: Clock, entriesMax: number): () => boolean {
  let [hour, entries] = [0, 0];
  return () => {
    const now = Math.floor(clock.now() / HOUR_MS);
    if (now !== hour) [hour, entries] = [now, 0];
    if (entries === entriesMax) return false;
    entries += 1;
    return true;
  };
}

/** Create one per process: the budget is per instance. */
export function createFailedSignIns(
  deps: RecorderDependencies,
  { writingMax = WRITING_MAX } = {},
): FailedSignIns {
  const { clock, logger } = deps;
  const takeFromBudget = createHourlyBudget(clock, UNKNOWN_PER_HOUR_MAX);
  const writing = new Set<Promise<void>>();
  const write = async (memberId: string | null, what: FailedSignIn): Promise<void> => {
    const record = createRecorder(deps, {
      actor: 'sign-in',
      ...(memberId !== null && { memberId }),
      address: connection.of(what.call.res).address,
    });
    const failure = new AppError('unauthenticated', 'The sign-in failed.');
    await record(what, () => Promise.reject(failure)).catch((error: unknown) => {
      if (error !== failure) logger.warn({ err: error }, 'could not record a failed sign-in');
    });
  };
  return {
    record(memberId, what) {
      if (memberId === null && !takeFromBudget()) return;
      if (writing.size >= writingMax) {
        logger.warn({}, 'failed sign-in not recorded: too many writes in progress');
        return;
      }
      const entry = write(memberId, what).finally(() => writing.delete(entry));
      writing.add(entry);
    },
    async drain() {
      await Promise.all(writing);
    },
  };
}
