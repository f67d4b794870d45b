import type { TopicSpec } from '@tidings/contracts/topics';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type Topic = {
  readonly topicId: number;
  readonly partitions: number;
  readonly recordBytesMax: number;
};

/**
 * Creates missing topics and updates the settings of existing ones. The number of partitions of an
 * existing topic stays. @callers bus
 */
export function ensureTopics(db: Database, specs: readonly TopicSpec[]): Promise<void> {
  return db.transaction(async (sql) => {
    for (const { topic, partitions, retentionMs, recordBytesMax } of specs)
      await sql.query(statement('ensure-topic'), [topic, partitions, retentionMs, recordBytesMax]);
  });
}

/** The topic; undefined if there is none. @callers bus */
export async function readTopic(sql: Sql, topic: string): Promise<Topic | undefined> {
  const { rows } = await sql.query<Topic>(statement('read-topic'), [topic]);
  return rows[0];
}
