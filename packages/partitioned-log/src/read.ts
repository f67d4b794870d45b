import { definePrepared } from '@tidings/postgres/define-prepared';
import type { Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { decodeBlock } from './blocks.ts';
import type { LogRecord } from './record.ts';

const statement = statementsIn(import.meta.dirname);
const READ = definePrepared(statement('read-blocks'));

/**
 * Reads records of a partition from an offset on, in order, of at least one block: about `bytesMax`
 * before compression. Offsets that retention dropped are skipped. @callers bus, user-changes
 */
export async function readRecords(
  sql: Sql,
  {
    topicId,
    partition,
    from,
    bytesMax,
  }: {
    readonly topicId: number;
    readonly partition: number;
    readonly from: bigint;
    readonly bytesMax: number;
  },
): Promise<LogRecord[]> {
  const { rows } = await sql.query<{ last: string; n: number; body: Buffer }>(READ, [
    topicId,
    partition,
    String(from),
    bytesMax,
  ]);
  return rows
    .flatMap(({ last, n, body }) => decodeBlock(body, { partition, last: BigInt(last), count: n }))
    .filter(({ offset }) => offset >= from);
}
