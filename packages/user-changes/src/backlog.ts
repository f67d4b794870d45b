import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { readUnreadPartitions } from '@tidings/partitioned-log/cursors';
import type { Sql } from '@tidings/postgres/database';
import { readUserChangesTopic, SHARDS } from './changes.ts';

/** As long as a change may wait while others are added that could come later. */
const FRESH_MS = 2_000;

/**
 * Whether the reader of changes is behind: in half of the shards a change waits for longer than two
 * seconds. Who has many changes that may come later waits then, since all are read in their order. One
 * shard that cannot go on holds up no others.
 */
export async function isBehind(sql: Sql): Promise<boolean> {
  const { topicId } = await readUserChangesTopic(sql);
  const unread = await readUnreadPartitions(sql, { group: AUTOMATIONS_GROUP, topicId });
  return unread.filter(({ ageMs }) => ageMs > FRESH_MS).length >= SHARDS / 2;
}
