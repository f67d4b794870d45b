import { handleChanges, handleTimers, type ShardStep } from '@tidings/automations/shard-step';
import { readDueShards } from '@tidings/automations/due-shards';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import type { DueChunk } from '@tidings/delivery/chunks';
import { readUnreadPartitions } from '@tidings/partitioned-log/cursors';
import type { Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  changesOldest,
  entryFailuresTotal,
  putOffTotal,
  runFailuresTotal,
  stepsTotal,
  timersOldest,
  unreadableTotal,
} from './metrics.ts';

export type EngineDependencies = {
  readonly db: Database;
  readonly topicId: number;
  /** Gives chunks of messages to the workers. */
  readonly dispatch: (chunks: readonly DueChunk[]) => Promise<void>;
  readonly logger: Logger;
};

/**
 * Handles what there is to do, shard by shard, until there is nothing more, or the signal aborts.
 * Several engines share the shards: each has one for a transaction. Of those with work the longest
 * waiting comes first.
 */
export async function runOnce(deps: EngineDependencies, signal: AbortSignal): Promise<void> {
  const { db, topicId } = deps;
  const unread = await readUnreadPartitions(db.sql, { group: AUTOMATIONS_GROUP, topicId });
  changesOldest.set(Math.max(0, ...unread.map(({ ageMs }) => ageMs)) / 1_000);
  const failures: unknown[] = [];
  for (const { part } of unread) {
    if (signal.aborted) return;
    await handleAll(deps, () => handleChanges(db, { topicId, shard: part }, observerOf(deps)), {
      kind: 'changes',
      signal,
    }).catch((error: unknown) => failures.push(error));
  }
  const due = await readDueShards(db.sql);
  timersOldest.set(Math.max(0, ...due.map(({ lateMs }) => lateMs)) / 1_000);
  for (const { shard } of due) {
    if (signal.aborted) return;
    await handleAll(deps, () => handleTimers(db, { topicId, shard }, observerOf(deps)), {
      kind: 'timers',
      signal,
    }).catch((error: unknown) => failures.push(error));
  }
  // Once the others have had their turn: a shard that fails comes first again, as the oldest.
  if (failures.length > 0) throw new AggregateError(failures, 'steps of shards failed');
}

/** Steps in a row of one shard: then others have their turn. */
const STEPS_OF_TURN = 5;

async function handleAll(
  { dispatch }: EngineDependencies,
  step: () => Promise<ShardStep | null>,
  { kind, signal }: { readonly kind: 'changes' | 'timers'; readonly signal: AbortSignal },
): Promise<void> {
  for (let steps = 0; steps < STEPS_OF_TURN && !signal.aborted; steps += 1) {
    const done = await step();
    if (done === null) return;
    stepsTotal.inc({ kind }, done.handled);
    if (done.chunks.length > 0) await dispatch(done.chunks);
    if (!done.hasMore) return;
  }
}

function observerOf({ logger }: EngineDependencies): Parameters<typeof handleChanges>[2] {
  return {
    onFailure(error, { id, automationId }) {
      runFailuresTotal.inc();
      logger.warn({ err: error, runId: id, automationId }, 'a run of an automation failed');
    },
    onEntryFailure(error, automationId) {
      entryFailuresTotal.inc();
      logger.error(
        { err: error, automationId },
        'an event could not enter its person, it is passed',
      );
    },
    onPutOff(automationId) {
      putOffTotal.inc();
      logger.warn({ automationId }, 'conditions took too long, the runs wait for a minute');
    },
    onUnreadable(count) {
      unreadableTotal.inc(count);
      logger.error({ unreadable: count }, 'changes cannot be read, they are passed');
    },
  };
}
