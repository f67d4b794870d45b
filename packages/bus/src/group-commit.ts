import { Counter, createMicroBatcher, Gauge, Histogram } from '@tidings/platform';
import { createBreaker } from './breaker.ts';
import {
  BusRejectedError,
  BusUnavailableError,
  type OutgoingRecord,
  type Producer,
} from './bus.ts';
import { withTimeout } from './kafka-errors.ts';
import { recordBytes } from './record-size.ts';
import { withTrace } from './traces.ts';

const flushRecords = new Histogram({
  name: 'bus_group_commit_flush_records',
  help: 'Records that share one produce call.',
  labelNames: ['topic'],
  buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000],
});
const rejectedRecords = new Counter({
  name: 'bus_group_commit_rejected_total',
  help: 'Records that were not confirmed: refused, deadline, failed or breaker.',
  labelNames: ['topic', 'reason'],
});
const pendingRecords = new Gauge({
  name: 'bus_group_commit_pending_records',
  help: 'Records waiting to be confirmed.',
  labelNames: ['topic'],
});

export type GroupCommitOptions = {
  readonly topic: string;
  /** Bounds of one produce call; a single larger record still goes, alone. */
  readonly recordsMax: number;
  readonly bytesMax: number;
  /** How long a caller waits at most, queue and produce call together. */
  readonly deadlineMs: number;
  /** The least time between two produce calls: under load, some records more share each. A record after a pause goes at once. */
  readonly flushIntervalMs?: number;
  /** Failed calls in a row after which callers are turned away at once. */
  readonly failuresMax?: number;
  /** While turned away, one caller in this time is let through to try. */
  readonly probeIntervalMs?: number;
};

/** Gathers the records of concurrent callers into one produce call. */
export interface GroupCommit {
  /**
   * Resolves when all in-sync replicas have the record. The caller bounds the bytes it has pending.
   * @throws BusUnavailableError when that was not confirmed before the deadline, `deadlineMs` from now where that is sooner than
   *   everybody's; the record may still be written
   * @throws BusRejectedError when this very record can never be accepted
   */
  append(record: OutgoingRecord, deadlineMs?: number): Promise<void>;
  /** Resolves when no record is pending. */
  drain(): Promise<void>;
}

type Reason = 'refused' | 'deadline' | 'failed' | 'breaker';

/** Says for the metrics why a record is not confirmed. */
class UnconfirmedError extends BusUnavailableError {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * The next produce call starts when one returns, with whatever has gathered. No wait is longer than the deadline, and
 * after some failed calls in a row callers are turned away at once, but for a probe, until a call succeeds.
 */
export function createGroupCommit(producer: Producer, options: GroupCommitOptions): GroupCommit {
  const {
    topic,
    recordsMax,
    bytesMax,
    deadlineMs,
    flushIntervalMs,
    failuresMax = 3,
    probeIntervalMs = 1_000,
  } = options;
  const breaker = createBreaker({ failuresMax, probeIntervalMs });
  const batcher = createMicroBatcher<OutgoingRecord, void>({
    run: produce,
    // A refused record must not take the others with it.
    isOwnFault: (error) => error instanceof BusRejectedError,
    deadline: {
      ms: deadlineMs,
      error: () =>
        new UnconfirmedError('deadline', 'the record was not confirmed before its deadline'),
    },
    itemsMax: recordsMax,
    bytesMax,
    runIntervalMs: flushIntervalMs,
  });

  async function produce(records: readonly OutgoingRecord[]): Promise<void[]> {
    flushRecords.observe({ topic }, records.length);
    try {
      // A call that hangs is given up, else nothing behind it would ever be tried.
      await withTimeout(deadlineMs, producer.produce(topic, records));
      breaker.succeeded();
      return records.map(() => undefined);
    } catch (cause) {
      // The broker answered.
      if (cause instanceof BusRejectedError) {
        breaker.succeeded();
        throw cause;
      }
      breaker.failed();
      if (breaker.isOpen())
        batcher.failWaiting(
          new UnconfirmedError('breaker', 'the broker has not confirmed the last records', {
            cause,
          }),
        );
      throw new UnconfirmedError('failed', 'the produce call failed', { cause });
    }
  }

  async function appendNow(record: OutgoingRecord, ownDeadlineMs: number): Promise<void> {
    if (ownDeadlineMs <= 0)
      throw new UnconfirmedError('deadline', 'there is no time left to confirm the record');
    const admission = breaker.admit();
    if (admission === 'rejected')
      throw new UnconfirmedError('breaker', 'the broker has not confirmed the last records');
    const bytes = recordBytes(record);
    // A probe goes beside calls that may hang, so that the first success after an outage is not waiting for them.
    await (admission === 'probe'
      ? batcher.addAlone(record, bytes, ownDeadlineMs)
      : batcher.add(record, bytes, ownDeadlineMs));
  }

  return {
    async append(record, ownDeadlineMs = deadlineMs) {
      pendingRecords.inc({ topic });
      try {
        await appendNow(withTrace(record), ownDeadlineMs);
      } catch (error) {
        rejectedRecords.inc({
          topic,
          reason: error instanceof UnconfirmedError ? error.reason : 'refused',
        });
        throw error;
      } finally {
        pendingRecords.dec({ topic });
      }
    },
    drain: () => batcher.drain(),
  };
}
