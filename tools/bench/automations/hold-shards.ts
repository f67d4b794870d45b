import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { lockCursor } from '@tidings/partitioned-log/cursors';
import type { Database } from '@tidings/postgres/database';
import { readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';

/**
 * Has all shards, so that no engine does anything, until the returned function is called: then engines
 * begin together.
 */
export async function holdShards(db: Database): Promise<() => Promise<void>> {
  const { topicId } = await readUserChangesTopic(db.sql);
  const released = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holding = db.transaction(async (sql) => {
    await sql.query('set local idle_in_transaction_session_timeout = 0');
    for (let shard = 0; shard < SHARDS; shard += 1)
      // An engine may have it for a step.
      while (
        (await lockCursor(sql, { group: AUTOMATIONS_GROUP, topicId, part: shard })) === undefined
      );
    held.resolve();
    await released.promise;
  });
  holding.catch(held.reject);
  await held.promise;
  return async () => {
    released.resolve();
    await holding;
  };
}
