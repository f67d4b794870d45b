import { FIELD_ERRORS_MAX, type FieldError } from '@tidings/contracts/errors/error-codes';
import type { RejectedRequest } from '@tidings/events/rejected-requests';
import { Counter, type Clock, type Logger } from '@tidings/platform';

const unlistedTotal = new Counter({
  name: 'tidings_gateway_unlisted_rejections_total',
  help: 'Rejected requests of known applications that got no entry in the ingest log.',
  labelNames: ['reason'] as const,
});

export type Rejection = Omit<RejectedRequest, 'unlisted'>;

/**
 * Writes rejected requests to the ingest log in the background: entries wait in memory for the next
 * flush.
 * Bounds memory and table against floods: entries above the limit of an application, or of all, are
 * only counted. The next entry of the application reports the count.
 */
export interface RejectionLog {
  note(rejection: Rejection): void;
  /** Inserts the waiting entries; never rejects. */
  flush(): Promise<void>;
  /** Stops the timer and flushes once more. */
  stop(): Promise<void>;
}

export type RejectionLogOptions = {
  readonly insert: (rejections: readonly RejectedRequest[]) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Entries per application and second. */
  readonly perSecondMax?: number;
  /** Entries waiting in memory. */
  readonly waitingMax?: number;
  readonly flushIntervalMs?: number;
};

/** The maximum of the column. */
const INTEGER_MAX = 2 ** 31 - 1;

/**
 * Characters of pointers and ids in one entry: far above the usual size, and a bound for the
 * waiting memory.
 */
const ERROR_CHARS_MAX = 10_000;

/**
 * The entries of an application in the current second, and its uncounted rejections since its last
 * entry.
 */
type Share = { second: number; listed: number; unlisted: number };

export function createRejectionLog(options: RejectionLogOptions): RejectionLog {
  const {
    insert,
    clock,
    logger,
    perSecondMax = 20,
    waitingMax = 1_000,
    flushIntervalMs = 1_000,
  } = options;
  const shares = new Map<string, Share>();
  const waiting: RejectedRequest[] = [];
  let flushing: Promise<void> | null = null;

  const shareOf = (applicationId: string): Share => {
    const second = Math.floor(clock.now() / 1000);
    const share = shares.get(applicationId) ?? { second, listed: 0, unlisted: 0 };
    if (share.second !== second) Object.assign(share, { second, listed: 0 });
    shares.set(applicationId, share);
    return share;
  };

  /**
   * Keeps applications with unreported rejections; their number is bounded by the number of
   * applications.
   */
  const deleteIdleShares = (): void => {
    const second = Math.floor(clock.now() / 1000);
    for (const [applicationId, share] of shares)
      if (share.unlisted === 0 && share.second !== second) shares.delete(applicationId);
  };

  const insertOrCount = async (rejections: readonly RejectedRequest[]): Promise<void> => {
    if (rejections.length === 0) return;
    try {
      await insert(rejections);
    } catch (error) {
      logger.warn(
        { err: error, rejections: rejections.length },
        'rejected requests could not be written to the ingest log',
      );
      unlistedTotal.inc({ reason: 'database' }, rejections.length);
      for (const { applicationId, unlisted } of rejections)
        shareOf(applicationId).unlisted += 1 + unlisted;
    }
  };

  /** One insert at a time: while Postgres hangs, further entries wait in the bounded queue. */
  const flush = (): Promise<void> => {
    flushing ??= insertOrCount(waiting.splice(0)).finally(() => {
      flushing = null;
    });
    return flushing;
  };
  const timer = setInterval(() => {
    deleteIdleShares();
    void flush();
  }, flushIntervalMs).unref();

  return {
    note(rejection) {
      const share = shareOf(rejection.applicationId);
      const reason =
        share.listed >= perSecondMax ? 'rate' : waiting.length >= waitingMax ? 'memory' : null;
      if (reason !== null) {
        share.unlisted += 1;
        unlistedTotal.inc({ reason });
        return;
      }
      waiting.push({
        ...rejection,
        errors: boundedErrors(rejection.errors),
        unlisted: Math.min(share.unlisted, INTEGER_MAX),
      });
      share.listed += 1;
      share.unlisted = 0;
    },
    flush,
    async stop() {
      clearInterval(timer);
      await flushing;
      await flush();
    },
  };
}

function boundedErrors(errors: readonly FieldError[]): FieldError[] {
  let chars = 0;
  return errors.slice(0, FIELD_ERRORS_MAX).filter(({ pointer, messageId = '' }) => {
    chars += pointer.length + messageId.length;
    return chars <= ERROR_CHARS_MAX;
  });
}
