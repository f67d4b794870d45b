import type { Database } from '@tidings/postgres/database';
import {
  readChanges,
  readUserChangesTopic,
  shardOf,
  type UserChange,
} from '@tidings/user-changes/changes';

const READ_AT_ONCE = 1_000;

/** All changes of a user that are still in the log, in order. */
export async function changesOf(db: Database, userId: string): Promise<UserChange[]> {
  const { topicId } = await readUserChangesTopic(db.sql);
  const shard = shardOf(userId);
  const own: UserChange[] = [];
  for (let from = 0n; ;) {
    const { changes, next } = await readChanges(db.sql, {
      topicId,
      shard,
      from,
      max: READ_AT_ONCE,
    });
    own.push(...changes.flatMap(({ change }) => (change?.userId === userId ? [change] : [])));
    if (changes.length === 0) return own;
    from = next;
  }
}
