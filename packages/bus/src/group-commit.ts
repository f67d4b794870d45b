import { Counter, createMicroBatcher, gaugeTallies, Histogram } from '@tidings/platform';
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
  name: 'tidings_bus_group_commit_flush_records',
  help: 'Records that share one produce call.',
  labelNames: ['topic'],
  buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500, 1000],
});
const rejectedRecords = new Counter({
  name: 'tidings_bus_group_commit_rejected_total',
  help: 'Records that were not confirmed, by reason: refused, deadline, failed or breaker.',
  labelNames: ['topic', 'reason'],
});
const pendingRecordsOf = gaugeTallies({
  name: 'tidings_bus_group_commit_pending_records',
  help: 'Records waiting to be confirmed.',
  labelNames: ['topic'],
});

export type GroupCommitOptions = {
  readonly topic: string;
  /** Bounds of one produce call. A single larger record is sent alone. */
  readonly recordsMax: number;
  readonly bytesMax: number;
  /** Maximum time that a caller waits, in the queue and for the produce call together. */
  readonly deadlineMs: number;
  /**
   * Minimum interval between two produce calls, like `linger.ms`: under load more records share a
   * call. After an idle time a record is sent at once.
   */
  readonly flushIntervalMs?: number;
  /** Consecutive failed calls after which the breaker opens and callers are rejected at once. */
  readonly failuresMax?: number;
  /** While the breaker is open, one caller per interval may try. */
  readonly probeIntervalMs?: number;
};

/** Groups the records of concurrent callers into one produce call. */
export interface GroupCommit {
  /**
   * Resolves when all in-sync replicas have the record. The caller bounds its pending bytes.
   * `deadlineMs`, from now, applies if it is shorter than the common deadline.
   * @throws BusUnavailableError if that was not confirmed before the deadline; the record may still
   * be written
   * @throws BusRejectedError if this record can never be accepted
   */
  append(record: OutgoingRecord, deadlineMs?: number): Promise<void>;
  /** Resolves when no record is pending. */
  drain(): Promise<void>;
}

type Reason = 'refused' | 'deadline' | 'failed' | 'breaker';

/** Carries the reason for the metrics. */
class UnconfirmedError extends BusUnavailableError {
  readonly reason: Reason;

  constructor(reason: Reason, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}

/**
 * Starts the next produce call when one returns, with all records queued meanwhile. No caller waits
 * longer than its deadline. After some consecutive failures, callers are rejected at once, except a
 * probe, until a call succeeds.
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
  const pending = pendingRecordsOf({ topic });
  const breaker = createBreaker({ failuresMax, probeIntervalMs });
  const batcher = createMicroBatcher<OutgoingRecord, void>({
    run: produce,
    // A rejected record must not fail the others.
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
      // Abandon a hanging call, or the queue behind it would never be tried.
      await withTimeout(deadlineMs, producer.produce(topic, records));
      breaker.succeeded();
      return records.map(() => undefined);
    } catch (cause) {
      // The broker responded.
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
    // A probe bypasses the queue, so the first success after an outage does not wait for hanging
    // calls.
    await (admission === 'probe'
      ? batcher.addAlone(record, bytes, ownDeadlineMs)
      : batcher.add(record, bytes, ownDeadlineMs));
  }

  return {
    async append(record, ownDeadlineMs = deadlineMs) {
      pending.value += 1;
      try {
        await appendNow(withTrace(record), ownDeadlineMs);
      } catch (error) {
        rejectedRecords.inc({
          topic,
          reason: error instanceof UnconfirmedError ? error.reason : 'refused',
        });
        throw error;
      } finally {
        pending.value -= 1;
      }
    },
    drain: () => batcher.drain(),
  };
}
