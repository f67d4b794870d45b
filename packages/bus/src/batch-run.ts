import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Histogram, backoffMs, type Logger } from '@tidings/platform';
import type { Batch, BusRecord } from './bus.ts';
import type { Lease } from './leases.ts';
import type { Slots } from './slots.ts';

const recordsDone = new Counter({
  name: 'bus_consumed_records_total',
  help: 'Records whose effect is durable.',
  labelNames: ['topic'],
});
const batchFailures = new Counter({
  name: 'bus_batch_failures_total',
  help: 'Batches that are tried again.',
  labelNames: ['topic'],
});
const batchSeconds = new Histogram({
  name: 'bus_batch_seconds',
  help: 'Time of one call of a batch handler.',
  labelNames: ['topic'],
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 20, 60, 300],
});

/** From here on a batch that fails is no passing trouble: a person must look. */
const FAILURES_IN_A_ROW_FOR_ERROR = 5;

/** A run of records of one partition, and how to commit them. */
export type FetchedBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly BusRecord[];
  readonly lease: Lease;
  heartbeat(): Promise<void>;
  /** Commits this record and all before it. @throws when the lease has ended and the commit did not succeed */
  commit(record: BusRecord): Promise<void>;
};

export type BatchRunOptions = {
  readonly slots: Slots;
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  handle(batch: Batch): Promise<void>;
  /** The handler was called, reported, or ended. */
  onProgress(isHandling: boolean): void;
  onFailure(error: unknown, facts: { readonly offset: bigint; readonly attempt: number }): void;
};

/**
 * Calls the handler until every record is committed, each time from the first that is not, with back-off between;
 * or until the lease ends. Never rejects: no error of a handler, not even a TypeError, may reach the Kafka client.
 */
export async function runBatch(fetched: FetchedBatch, options: BatchRunOptions): Promise<void> {
  const { topic, partition, records, lease } = fetched;
  const { signal } = lease;
  const committed = createCommitter(fetched);
  let lastFailureAt = -1;
  let attempt = 0;

  const call = async (): Promise<void> => {
    const stopTimer = batchSeconds.startTimer({ topic });
    options.onProgress(true);
    try {
      await options.handle({
        topic,
        partition,
        records: records.slice(committed.count()),
        signal,
        async heartbeat() {
          signal.throwIfAborted();
          options.onProgress(true);
          await fetched.heartbeat();
        },
        async resolve(offset) {
          options.onProgress(true);
          await committed.upTo(records.findLastIndex((record) => record.offset <= offset) + 1);
        },
      });
      await committed.upTo(records.length);
    } finally {
      options.onProgress(false);
      stopTimer();
    }
  };

  while (committed.count() < records.length && !signal.aborted) {
    try {
      await options.slots.run(signal, call);
    } catch (error) {
      if (signal.aborted) return;
      const at = committed.count();
      attempt = at > lastFailureAt ? 0 : attempt + 1;
      lastFailureAt = at;
      batchFailures.inc({ topic });
      options.onFailure(error, { offset: records[at]?.offset ?? -1n, attempt });
      await delay(backoffMs(options.backoff, attempt), undefined, { signal }).catch(
        () => undefined,
      );
    }
  }
}

/** The `onFailure` of a consumer: `attempts` counts the calls in a row that got no record further. */
export function logBatchFailures(
  logger: Logger,
  { topic, partition }: { readonly topic: string; readonly partition: number },
): BatchRunOptions['onFailure'] {
  return (error, { offset, attempt }) => {
    const attempts = attempt + 1;
    const facts = { err: error, topic, partition, offset: String(offset), attempts };
    if (attempts < FAILURES_IN_A_ROW_FOR_ERROR) logger.warn(facts, 'batch failed, trying again');
    else logger.error(facts, 'batch fails again and again, its partition stands still');
  };
}

/** Commits in the order of the records, one commit at a time, never back. */
function createCommitter(fetched: FetchedBatch): {
  count(): number;
  upTo(count: number): Promise<void>;
} {
  let done = 0;
  let last: Promise<void> = Promise.resolve();

  async function commit(count: number): Promise<void> {
    const record = fetched.records[count - 1];
    if (record === undefined || count <= done) return;
    if (fetched.lease.isLost())
      throw new Error('the partition is no longer assigned to this consumer');
    await fetched.commit(record);
    recordsDone.inc({ topic: fetched.topic }, count - done);
    done = count;
  }

  return {
    count: () => done,
    upTo(count) {
      const next = last.then(() => commit(count));
      // A failed commit is its caller's to handle; the next one starts afresh.
      last = next.catch(() => undefined);
      return next;
    },
  };
}
