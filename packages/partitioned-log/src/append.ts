import { definePrepared } from '@tidings/postgres/define-prepared';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { encodeBlock } from './blocks.ts';
import { choosePartition } from './partitioner.ts';
import type { NewRecord, Position } from './record.ts';
import type { Topic } from './topics.ts';

const statement = statementsIn(import.meta.dirname);
const APPEND = definePrepared(statement('append-blocks'));

/** The log accepts no records: it is being moved, or the topic was removed. */
export class LogClosedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LogClosedError';
  }
}

/** Chooses partitions: by key, and in turn for records without one. */
export function createPartitioner(): (record: NewRecord, partitions: number) => number {
  let keylessCount = 0;
  return ({ key }, partitions) =>
    key === null ? keylessCount++ % partitions : choosePartition(key, partitions);
}

/**
 * Appends records; those of one partition get consecutive offsets. Readers see them when the
 * transaction of `sql` commits. Until then the partitions are locked, so that offsets are visible
 * in their order. Returns positions in the given order.
 * @callers bus, user-changes
 * @throws LogClosedError; nothing was written
 */
export async function appendRecords(
  sql: Sql,
  { topicId, partitions }: Topic,
  {
    records,
    partitionOf,
  }: {
    readonly records: readonly NewRecord[];
    readonly partitionOf: (record: NewRecord, partitions: number) => number;
  },
): Promise<Position[]> {
  const chosen = records.map((record) => partitionOf(record, partitions));
  const byPartition = Map.groupBy(records.keys(), (index) => chosen[index] ?? 0);
  const numbers = [...byPartition.keys()];
  const recordsIn = (partition: number): NewRecord[] =>
    (byPartition.get(partition) ?? []).flatMap((index) => records[index] ?? []);
  const blocks = numbers.map((partition) => encodeBlock(recordsIn(partition)));
  const { rows } = await sql.query<{
    part: number;
    base: string;
    isOpen: boolean;
    notified: string | null;
  }>(APPEND, [
    topicId,
    numbers,
    numbers.map((partition) => byPartition.get(partition)?.length),
    blocks.map(({ bytes }) => bytes),
    blocks.map(({ body }) => body),
  ]);
  if (rows.length < numbers.length) throw new LogClosedError('a partition of the log is missing');
  if (rows.some(({ isOpen }) => !isOpen)) throw new LogClosedError('the log is closed');
  const next = new Map(rows.map(({ part, base }) => [part, BigInt(base)]));
  return chosen.map((partition) => {
    const offset = next.get(partition) ?? 0n;
    next.set(partition, offset + 1n);
    return { partition, offset };
  });
}
