import { definePrepared } from '@tidings/postgres/define-prepared';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);
const HEADS = definePrepared(statement('read-heads'));
const COMMITTED = definePrepared(statement('read-committed-offsets'));
const OFFSETS = definePrepared(statement('read-topic-offsets'));

/** The next offset to read by partition; a partition without a commit is absent. @callers bus */
export async function readCommittedOffsets(
  sql: Sql,
  group: string,
  topic: string,
): Promise<Map<number, bigint>> {
  const { rows } = await sql.query<{ part: number; committed: string | null }>(COMMITTED, [
    group,
    topic,
  ]);
  return new Map(rows.map(({ part, committed }) => [part, BigInt(committed ?? 0)]));
}

/** Per partition, the first offset kept (`low`) and the offset of the next record (`high`). @callers bus */
export async function readTopicOffsets(
  sql: Sql,
  topic: string,
): Promise<Map<number, { readonly low: bigint; readonly high: bigint }>> {
  const { rows } = await sql.query<{ part: number; low: string; high: string }>(OFFSETS, [topic]);
  return new Map(
    rows.map(({ part, low, high }) => [part, { low: BigInt(low), high: BigInt(high) }]),
  );
}

/** The offsets of the next records of all partitions of these topics. @callers bus */
export async function readHeads(
  sql: Sql,
  topicIds: readonly number[],
): Promise<{ readonly topicId: number; readonly part: number; readonly next: bigint }[]> {
  const { rows } = await sql.query<{ topicId: number; part: number; next: string }>(HEADS, [
    topicIds,
  ]);
  return rows.map(({ topicId, part, next }) => ({ topicId, part, next: BigInt(next) }));
}

/** The offset of the next record of a partition; 0 if there is no such partition. @callers bus */
export async function readHead(
  sql: Sql,
  { topicId, part }: { readonly topicId: number; readonly part: number },
): Promise<bigint> {
  const heads = await readHeads(sql, [topicId]);
  return heads.find((head) => head.part === part)?.next ?? 0n;
}
