import type { Endpoint } from '@tidings/api-spec/endpoint';
import { AppError, type Clock } from '@tidings/platform';
import type { Call } from '../http/route.ts';
import { getClientAddress } from './access.ts';
import { createRecorder, type RecorderDependencies } from './audit.ts';

export type FailedSignIn = { readonly endpoint: Endpoint; readonly call: Call<unknown, unknown> };

/** Entries of failed sign-ins in the audit log. */
export interface FailedSignIns {
  /**
   * Records one: with the member whose account it was, or null where there is none. It returns at once. The answer must not
   * wait for the entry: some failures have none, and the time would tell which addresses are members.
   */
  record(memberId: string | null, what: FailedSignIn): void;
  /** Resolves when all that were begun are written, or given up. */
  drain(): Promise<void>;
}

/**
 * Failed sign-ins to accounts that do not exist cost a caller nothing, and the audit log is kept for good. Those to
 * members are bounded by the waits that failures bring.
 */
const UNKNOWN_PER_HOUR_MAX = 60;
/** Entries being written. A database that is slow takes no more. */
const WRITING_MAX = 100;
const HOUR_MS = 3_600_000;

/** Whether there is room for one more within the hour. */
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

/** One for a process, which its budget is of. */
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
      address: getClientAddress(what.call.res),
    });
    const failure = new AppError('unauthenticated', 'The sign-in failed.');
    await record(what, () => Promise.reject(failure)).catch((error: unknown) => {
      if (error !== failure) logger.warn({ err: error }, 'failed sign-in not recorded');
    });
  };
  return {
    record(memberId, what) {
      if (memberId === null && !takeFromBudget()) return;
      if (writing.size >= writingMax) {
        logger.warn({}, 'failed sign-in not recorded, too many are being written');
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
