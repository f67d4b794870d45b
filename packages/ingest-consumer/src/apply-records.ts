import type { MessageType, IngestRecord } from '@tidings/contracts';
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
  help: 'Records of the ingest topic that a consumer applied.',
  labelNames: ['consumer'] as const,
});

/**
 * The two duplicate rules are two unique keys of one row, and no order of rows suits both: transactions that overlap in
 * both may meet in a deadlock. Its victim tries again at once, while the other one commits.
 */
const CONFLICT_SCHEDULE = { attemptsMax: 3, baseMs: 50, capMs: 200 };

export type ApplyOptions = {
  readonly consumer: IngestConsumer;
  readonly kinds: readonly MessageType[];
  /** Applies records that were never applied before, inside the transaction that took them. */
  readonly apply: (sql: Sql, records: readonly IngestRecord[]) => Promise<void>;
};

/** A record that Postgres refuses for what is in it; without a code when it cannot even be told of it. */
export type RejectedEntry<T> = { readonly entry: T; readonly sqlState: string | null };

export type Applier = {
  /** Applies records together; those that no transaction can hold are found by bisection, all others are stored. */
  applyAll<T extends { readonly record: IngestRecord }>(
    entries: readonly T[],
    onStep: () => Promise<void>,
  ): Promise<RejectedEntry<T>[]>;
  /** Applies the record of a dead letter if somebody has asked for it; a SQLSTATE when it is refused again. */
  applyReplay(
    record: IngestRecord,
    deadLetterId: string,
  ): Promise<'applied' | 'passed_over' | { readonly sqlState: string | null }>;
};

export function createApplier(db: Database, { consumer, kinds, apply }: ApplyOptions): Applier {
  const transact = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    retry(CONFLICT_SCHEDULE, () => db.transaction(work), { isRetryable: isTransactionConflict });

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
          if (!(await claimReplay(sql, { deadLetterId, consumer }))) return 'passed_over';
          const taken = await takeRecords(sql, consumer, [record]);
          const reopened = await reopenReceipts(sql, record, kinds);
          // Neither: its messages have their outcomes, from another delivery.
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

/** Why the same records would fail whenever they come: a SQLSTATE, or null; undefined for every other error. */
function rejectionState(error: unknown): string | null | undefined {
  // A value nested so deep that it can be parsed, but not written again: the call stack is too short.
  if (isNativeError(error) && error.name === 'RangeError') return null;
  return dataErrorState(error);
}
