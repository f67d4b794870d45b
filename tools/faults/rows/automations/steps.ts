import { setTimeout as delay } from 'node:timers/promises';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import { readUnreadPartitions } from '@tidings/partitioned-log/cursors';
import { readUserChangesTopic } from '@tidings/user-changes/changes';
import { countUnfinished } from '../../oracles/automations/stored-runs.ts';
import type { AutomationsRun } from './automations-row.ts';

/** Requests that are still to be sent, and runs that are on their way. */
export async function waitsLeft({ rig, sender, load }: AutomationsRun): Promise<number> {
  const { runs } = await countUnfinished(rig.db, sender.id);
  return runs + (load?.feed.left() ?? 0);
}

/** Changes of people that no engine has read. */
export async function countUnreadChanges({ rig }: Pick<AutomationsRun, 'rig'>): Promise<number> {
  const { topicId } = await readUserChangesTopic(rig.db.sql);
  const unread = await readUnreadPartitions(rig.db.sql, { group: AUTOMATIONS_GROUP, topicId });
  return unread.reduce((sum, { records }) => sum + records, 0);
}

const POLL_MS = 50;

/** Resolves once this share of the requests has been sent. */
export async function untilFed({ load, ending }: AutomationsRun, share: number): Promise<void> {
  const total = load?.carts.requests.length ?? 0;
  while ((load?.feed.left() ?? 0) > total * (1 - share))
    await delay(POLL_MS, undefined, { signal: ending });
}
