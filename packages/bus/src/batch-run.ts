import { setTimeout as delay } from 'node:timers/promises';
import { Counter, Histogram, backoffMs, type Logger } from '@tidings/platform';
import type { RecordBatch, BusRecord } from './bus.ts';
import type { Lease } from './leases.ts';
import type { Slots } from './slots.ts';

const recordsDone = new Counter({
  name: 'tidings_bus_consumed_records_total',
  help: 'Records that a group handled and committed.',
  labelNames: ['group', 'topic'],
});
const batchFailures = new Counter({
  name: 'tidings_bus_batch_failures_total',
  help: 'Failed batch-handler calls of a group, which are retried.',
  labelNames: ['group', 'topic'],
});
const batchSeconds = new Histogram({
  name: 'tidings_bus_batch_seconds',
  help: 'Duration of one batch-handler call.',
  labelNames: ['topic'],
  buckets: [0.005, 0.02, 0.1, 0.5, 1, 5, 20, 60, 300],
});

/**
 * Begins the counters of a group at 0: Prometheus does not see the increment that creates a series.
 */
export function declareCounters(group: string, topics: readonly string[]): void {
  for (const topic of topics) {
    recordsDone.inc({ group, topic }, 0);
    batchFailures.inc({ group, topic }, 0);
  }
}

/** After this many failures in a row the log level becomes error: a person must look. */
const FAILURES_IN_A_ROW_FOR_ERROR = 5;

/** A record batch as fetched, and how to commit it. */
export type FetchedBatch = {
  readonly topic: string;
  readonly partition: number;
  readonly records: readonly BusRecord[];
  readonly lease: Lease;
  heartbeat(): Promise<void>;
  /**
   * Commits this record and all before it. @throws if the lease has ended and the commit did not
   * succeed
   */
  commit(record: BusRecord): Promise<void>;
};

export type BatchRunOptions = {
  readonly group: string;
  readonly slots: Slots;
  readonly backoff: { readonly baseMs: number; readonly capMs: number };
  handle(batch: RecordBatch): Promise<void>;
  /** Called when the handler starts, reports progress or ends. */
  onProgress(isHandling: boolean): void;
  onFailure(error: unknown, facts: { readonly offset: bigint; readonly attempt: number }): void;
};

/**
 * Calls the handler until every record is committed or the lease ends. Each call starts at the
 * first uncommitted record, with back-off between calls. Never rejects: no error of a handler may
 * reach the Kafka client.
 */
export async function runBatch(fetched: FetchedBatch, options: BatchRunOptions): Promise<void> {
  const { topic, partition, records, lease } = fetched;
  const { signal } = lease;
  const committed = createCommitter(fetched, options.group);
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
      batchFailures.inc({ group: options.group, topic });
      options.onFailure(error, { offset: records[at]?.offset ?? -1n, attempt });
      await delay(backoffMs(options.backoff, attempt), undefined, { signal }).catch(
        () => undefined,
      );
    }
  }
}

/** The `onFailure` of a consumer; `attempts` counts calls in a row without a commit. */
export function logBatchFailures(
  logger: Logger,
  { topic, partition }: { readonly topic: string; readonly partition: number },
): BatchRunOptions['onFailure'] {
  return (error, { offset, attempt }) => {
    const attempts = attempt + 1;
    const facts = { err: error, topic, partition, offset: String(offset), attempts };
    if (attempts < FAILURES_IN_A_ROW_FOR_ERROR) logger.warn(facts, 'batch failed, retrying');
    else logger.error(facts, 'batch keeps failing; its partition makes no progress');
  };
}

/** Commits in record order, one commit at a time, never backwards. */
function createCommitter(
  fetched: FetchedBatch,
  group: string,
): {
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
    recordsDone.inc({ group, topic: fetched.topic }, count - done);
    done = count;
  }

  return {
    count: () => done,
    upTo(count) {
      const next = last.then(() => commit(count));
      // The caller handles a failed commit; the next one is independent.
      last = next.catch(() => undefined);
      return next;
    },
  };
}
