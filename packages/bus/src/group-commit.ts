import { Counter, Gauge, Histogram } from '@tidings/platform';
import { createBreaker } from './breaker.ts';
import { BusRefusedError, BusUnavailableError, type OutgoingRecord, type Producer } from './bus.ts';
import { withTimeout } from './kafka-errors.ts';
import { recordBytes } from './record-size.ts';

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
  /** Produce calls under way at a time; more than one gives up the order of records with one key. */
  readonly flushesInFlightMax?: number;
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
   * @throws BusRefusedError when this very record can never be accepted
   */
  append(record: OutgoingRecord, deadlineMs?: number): Promise<void>;
  /** Resolves when no record is pending. */
  drain(): Promise<void>;
}

type Entry = {
  readonly record: OutgoingRecord;
  readonly bytes: number;
  readonly isSettled: boolean;
  /** Only the first call counts. */
  settle(failure?: { readonly reason: Reason; readonly error: Error }): void;
};

type Reason = 'refused' | 'deadline' | 'failed' | 'breaker';

/**
 * The next produce call starts when one returns, with whatever has gathered. No wait is longer than the deadline, and
 * after some failed calls in a row callers are turned away at once, but for a probe, until a call succeeds.
 */
export function createGroupCommit(producer: Producer, options: GroupCommitOptions): GroupCommit {
  const { topic, recordsMax, bytesMax, deadlineMs, flushesInFlightMax = 1, failuresMax = 3, probeIntervalMs = 1_000 } = options;
  const breaker = createBreaker({ failuresMax, probeIntervalMs });
  const queue = new Set<Entry>();
  let pending = 0;
  let inFlight = 0;
  let isScheduled = false;
  const drained: (() => void)[] = [];

  function createEntry(record: OutgoingRecord, ownDeadlineMs: number, done: (error?: Error) => void): Entry {
    let isSettled = false;
    const entry: Entry = {
      record,
      bytes: recordBytes(record),
      get isSettled() {
        return isSettled;
      },
      settle(failure) {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(deadline);
        queue.delete(entry);
        pending -= 1;
        pendingRecords.dec({ topic });
        if (failure !== undefined) rejectedRecords.inc({ topic, reason: failure.reason });
        done(failure?.error);
        if (pending === 0) for (const resolve of drained.splice(0)) resolve();
      },
    };
    const deadline = setTimeout(
      () => entry.settle({ reason: 'deadline', error: new BusUnavailableError('the record was not confirmed before its deadline') }),
      Math.min(deadlineMs, ownDeadlineMs),
    );
    pending += 1;
    pendingRecords.inc({ topic });
    return entry;
  }

  /** Callers of one turn of the event loop share a call, even when none is under way. */
  function schedule(): void {
    if (isScheduled || queue.size === 0 || inFlight >= flushesInFlightMax) return;
    isScheduled = true;
    setImmediate(() => {
      isScheduled = false;
      const entries = take();
      if (entries.length === 0) return;
      inFlight += 1;
      void flush(entries).then(() => {
        inFlight -= 1;
        schedule();
      });
      schedule();
    });
  }

  function take(): Entry[] {
    const entries: Entry[] = [];
    let bytes = 0;
    for (const entry of queue) {
      bytes += entry.bytes;
      if (entries.length > 0 && (entries.length === recordsMax || bytes > bytesMax)) break;
      entries.push(entry);
      queue.delete(entry);
    }
    return entries;
  }

  async function flush(entries: readonly Entry[]): Promise<void> {
    flushRecords.observe({ topic }, entries.length);
    try {
      // A call that hangs is given up, else nothing behind it would ever be tried.
      await withTimeout(deadlineMs, write(entries));
      breaker.succeeded();
    } catch (cause) {
      const error = cause instanceof BusUnavailableError ? cause : new BusUnavailableError('the produce call failed', { cause });
      for (const entry of entries) entry.settle({ reason: 'failed', error });
      breaker.failed();
      if (breaker.isOpen()) for (const entry of queue) entry.settle({ reason: 'breaker', error });
    }
  }

  /** A refused record must not take the others with it: halves are tried until it is alone. */
  async function write(all: readonly Entry[]): Promise<void> {
    const entries = all.filter((entry) => !entry.isSettled);
    if (entries.length === 0) return;
    try {
      await producer.produce(
        topic,
        entries.map((entry) => entry.record),
      );
      for (const entry of entries) entry.settle();
    } catch (error) {
      if (!(error instanceof BusRefusedError)) throw error;
      if (entries.length === 1) {
        for (const entry of entries) entry.settle({ reason: 'refused', error });
        return;
      }
      const middle = Math.ceil(entries.length / 2);
      await write(entries.slice(0, middle));
      await write(entries.slice(middle));
    }
  }

  return {
    append(record, ownDeadlineMs = deadlineMs) {
      if (ownDeadlineMs <= 0) {
        rejectedRecords.inc({ topic, reason: 'deadline' });
        return Promise.reject(new BusUnavailableError('there is no time left to confirm the record'));
      }
      const admission = breaker.admit();
      if (admission === 'rejected') {
        rejectedRecords.inc({ topic, reason: 'breaker' });
        return Promise.reject(new BusUnavailableError('the broker has not confirmed the last records'));
      }
      return new Promise((resolve, reject) => {
        const entry = createEntry(record, ownDeadlineMs, (error) => (error === undefined ? resolve() : reject(error)));
        if (admission === 'probe') {
          // Beside calls that may hang, so that the first success after an outage is not waiting for them.
          void flush([entry]);
          return;
        }
        queue.add(entry);
        schedule();
      });
    },
    drain() {
      if (pending === 0) return Promise.resolve();
      return new Promise((resolve) => drained.push(resolve));
    },
  };
}
