import type { TopicSpec } from '@tidings/contracts/topics';
import { definePrepared } from '@tidings/postgres/define-prepared';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);
const READ_TOPIC = definePrepared(statement('read-topic'));

export type Topic = {
  readonly topicId: number;
  readonly partitions: number;
  readonly recordBytesMax: number;
};

/**
 * Creates missing topics and updates the settings of existing ones. The number of partitions of an
 * existing topic stays. Topics that the bus does not carry (`isBus`) take records with either bus.
 * @callers bus, install, testing
 */
export function ensureTopics(
  db: Pick<Database, 'transaction'>,
  specs: readonly TopicSpec[],
  { isBus = true }: { readonly isBus?: boolean } = {},
): Promise<void> {
  return db.transaction(async (sql) => {
    for (const { topic, partitions, retentionMs, recordBytesMax } of specs)
      await sql.query(statement('ensure-topic'), [
        topic,
        partitions,
        retentionMs,
        recordBytesMax,
        isBus,
      ]);
  });
}

/** The topic; undefined if there is none. @callers bus, user-changes */
export async function readTopic(sql: Sql, topic: string): Promise<Topic | undefined> {
  const { rows } = await sql.query<Topic>(READ_TOPIC, [topic]);
  return rows[0];
}
