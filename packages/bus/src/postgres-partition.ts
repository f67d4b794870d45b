import { setTimeout as delay } from 'node:timers/promises';
import { commitOffset, type PartitionLease } from '@tidings/partitioned-log/members';
import { readHead } from '@tidings/partitioned-log/offsets';
import { readRecords } from '@tidings/partitioned-log/read';
import type { LogRecord } from '@tidings/partitioned-log/record';
import { backoffMs, type Logger } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { runBatch, type BatchRunOptions } from './batch-run.ts';
import type { ConsumeOptions } from './bus.ts';
import type { Heads } from './heads.ts';
import type { Lease } from './leases.ts';

/** As many bytes as Kafka's consumer fetches of a partition. */
const FETCH_BYTES_MAX = 1024 * 1024;
/** For `gather`: heads are known in records, not in bytes. A record of `POST /` has some kilobytes. */
const RECORD_BYTES_ESTIMATE = 1_024;
const BACKOFF = { baseMs: 100, capMs: 2_000 };

export type PartitionDependencies = {
  readonly sql: Sql;
  readonly heads: Heads;
  readonly logger: Logger;
  readonly member: { readonly group: string; readonly member: string };
  /** Called when Postgres refuses a commit, as the partition or the membership was lost. */
  readonly onLost: () => void;
  readonly gather: ConsumeOptions['gather'];
  readonly runOptions: BatchRunOptions;
};

/**
 * Reads one partition until its lease ends: waits for records, hands them to the handler, and
 * commits what it resolves. Never rejects.
 */
export async function readPartition(
  { sql, heads, logger, member, onLost, gather, runOptions }: PartitionDependencies,
  {
    topic,
    owned,
    lease,
  }: {
    readonly topic: string;
    readonly owned: PartitionLease;
    readonly lease: Lease;
  },
): Promise<void> {
  const { signal } = lease;
  const { part } = owned;
  let next = owned.committed ?? 0n;

  async function untilRecords(): Promise<void> {
    await heads.reached(owned, next + 1n, { signal });
    if (gather === undefined) return;
    const enough = next + BigInt(Math.ceil(gather.bytes / RECORD_BYTES_ESTIMATE));
    await heads.reached(owned, enough, { signal, timeoutMs: gather.waitMs });
  }

  const read = (): Promise<LogRecord[]> =>
    readRecords(sql, {
      topicId: owned.topicId,
      partition: part,
      from: next,
      bytesMax: FETCH_BYTES_MAX,
    });

  async function fetch(): Promise<LogRecord[]> {
    const known = heads.next(owned);
    const records = await read();
    return records.length > 0 || known <= next ? records : fetchBehindGap(known);
  }

  /**
   * Where records were known to be and are not, either retention dropped them, or Postgres lost
   * them: then others will take their offsets, so none is skipped.
   */
  async function fetchBehindGap(known: bigint): Promise<LogRecord[]> {
    const end = await readHead(sql, owned);
    if (end <= next) {
      heads.correct(owned, { known, next: end });
      return [];
    }
    const records = await read();
    if (records.length === 0) next = end;
    return records;
  }

  async function commit(offset: bigint): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      if (lease.isLost()) throw new Error('the partition is no longer assigned to this consumer');
      try {
        if (await commitOffset(sql, member, { ...owned, next: offset + 1n })) return;
      } catch (error) {
        if (signal.aborted) throw error;
        logger.warn({ err: error }, 'commit failed, retrying');
        await delay(backoffMs(BACKOFF, attempt), undefined, { signal });
        continue;
      }
      // The handler would be called again until the next renewal, in vain.
      onLost();
      throw new Error('the partition is no longer assigned to this consumer');
    }
  }

  let attempt = 0;
  while (!signal.aborted) {
    try {
      const records = await fetch();
      attempt = 0;
      const last = records.at(-1);
      if (last !== undefined) {
        await runBatch(
          {
            topic,
            partition: part,
            records: records.map((record) => ({ topic, ...record })),
            lease,
            // The membership is renewed by a timer.
            heartbeat: () => Promise.resolve(),
            commit: ({ offset }) => commit(offset),
          },
          runOptions,
        );
        next = last.offset + 1n;
      }
      await untilRecords();
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error, topic, partition: part }, 'the log cannot be read, retrying');
      await delay(backoffMs(BACKOFF, attempt), undefined, { signal }).catch(() => undefined);
      attempt += 1;
    }
  }
}
