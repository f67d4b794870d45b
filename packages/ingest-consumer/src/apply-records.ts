import type { MessageType } from '@tidings/contracts/ingest/ingest';
import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { claimReplay } from '@tidings/events/dead-letters';
import { reopenReceipts } from '@tidings/events/receipts';
import { takeRecords, type IngestConsumer } from '@tidings/events/take-records';
import { Counter, retry } from '@tidings/platform';
import {
  dataErrorState,
  isTransactionConflict,
  type Database,
  type Sql,
} from '@tidings/postgres/database';
import { isNativeError } from 'node:util/types';

const recordsTotal = new Counter({
  name: 'tidings_ingest_records_total',
  help: 'Records of the ingest topic applied by a consumer.',
  labelNames: ['consumer'] as const,
});

/**
 * The two duplicate rules are two unique keys of one row, and no row order suits both. Transactions
 * that overlap in both may deadlock; the victim is retried at once.
 */
const CONFLICT_SCHEDULE = { attemptsMax: 3, baseMs: 50, capMs: 200 };

export type ApplyOptions = {
  readonly consumer: IngestConsumer;
  readonly kinds: readonly MessageType[];
  /** Applies records that were not applied before, in the transaction that took them. */
  readonly apply: (sql: Sql, records: readonly IngestRecord[]) => Promise<void>;
};

/**
 * A record whose content Postgres rejects. `sqlState` is null when the record cannot even be sent
 * to Postgres.
 */
export type RejectedEntry<T> = { readonly entry: T; readonly sqlState: string | null };

export type Applier = {
  /**
   * Applies records together. Records that Postgres rejects are found by bisection and returned;
   * all others are stored.
   */
  applyAll<T extends { readonly record: IngestRecord }>(
    entries: readonly T[],
    onStep: () => Promise<void>,
  ): Promise<RejectedEntry<T>[]>;
  /**
   * Applies the record of a dead letter if a replay was requested. Returns the SQLSTATE when it is
   * rejected again.
   */
  applyReplay(
    record: IngestRecord,
    deadLetterId: string,
  ): Promise<'applied' | 'skipped' | { readonly sqlState: string | null }>;
};

export function createApplier(db: Database, { consumer, kinds, apply }: ApplyOptions): Applier {
  // Prepared statements that were planned on empty tables must not read all rows of large ones.
  const transact = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    retry(CONFLICT_SCHEDULE, () => db.transaction(work, { isKeyed: true }), {
      isRetryable: isTransactionConflict,
    });

  const applyAll: Applier['applyAll'] = async (entries, onStep) => {
    if (entries.length === 0) return [];
    try {
      const applied = await transact(async (sql) => {
        const taken = await takeRecords(
          sql,
          consumer,
          entries.map(({ record }) => record),
        );
        if (taken.length > 0) await apply(sql, taken);
        return taken;
      });
      recordsTotal.inc({ consumer }, applied.length);
      return [];
    } catch (error) {
      const sqlState = rejectionState(error);
      if (sqlState === undefined) throw error;
      if (entries.length === 1) return entries.map((entry) => ({ entry, sqlState }));
      await onStep();
      const middle = Math.ceil(entries.length / 2);
      return [
        ...(await applyAll(entries.slice(0, middle), onStep)),
        ...(await applyAll(entries.slice(middle), onStep)),
      ];
    }
  };

  return {
    applyAll,
    async applyReplay(record, deadLetterId) {
      try {
        return await transact(async (sql) => {
          if (!(await claimReplay(sql, { deadLetterId, consumer }))) return 'skipped';
          const taken = await takeRecords(sql, consumer, [record]);
          const reopened = await reopenReceipts(sql, record, kinds);
          // Otherwise another delivery has settled its messages.
          if (taken.length > 0 || reopened > 0) await apply(sql, [record]);
          return 'applied';
        });
      } catch (error) {
        const sqlState = rejectionState(error);
        if (sqlState === undefined) throw error;
        return { sqlState };
      }
    },
  };
}

/**
 * The SQLSTATE, or null, when the records themselves cause the error, so that a retry would fail
 * again. Undefined for all other errors.
 */
function rejectionState(error: unknown): string | null | undefined {
  // A value nested so deeply that it can be parsed but not serialised: the call stack overflows.
  if (isNativeError(error) && error.name === 'RangeError') return null;
  return dataErrorState(error);
}
