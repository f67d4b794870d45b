import { readSegmentShards } from '@tidings/automations/enter-existing';
import {
  handleChanges,
  handleSegments,
  handleTimers,
  type ShardStep,
} from '@tidings/automations/shard-step';
import { readDueShards } from '@tidings/automations/due-shards';
import { AUTOMATIONS_GROUP } from '@tidings/contracts/topics';
import type { DueChunk } from '@tidings/delivery/chunks';
import { readUnreadPartitions } from '@tidings/partitioned-log/cursors';
import type { Clock, Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  changesOldest,
  segmentFailuresTotal,
  segmentRechecksTotal,
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

/** What loops of a process do together. */
export type Engine = {
  /**
   * Handles what there is to do, shard by shard, until there is nothing more, or the signal aborts.
   * Several engines share the shards: each has one for a transaction. Of those with work the longest
   * waiting comes first. Calls at the same time share the looks, and what these find.
   * @returns whether there was something
   */
  runOnce(signal: AbortSignal): Promise<boolean>;
};

/** While there is work, more comes: looks are this many times as frequent. */
export const LOOKS_WHILE_BUSY = 4;

/** @param lookMs how old a look may be: loops look in turns, not each for itself */
export function createEngine(
  deps: EngineDependencies,
  { lookMs, clock }: { readonly lookMs: number; readonly clock: Pick<Clock, 'monotonicMs'> },
): Engine {
  const { db, topicId } = deps;
  const changes = shareLooks({ lookMs, clock }, async () => {
    const unread = await readUnreadPartitions(db.sql, { group: AUTOMATIONS_GROUP, topicId });
    changesOldest.set(Math.max(0, ...unread.map(({ ageMs }) => ageMs)) / 1_000);
    return unread.map(({ part }) => part);
  });
  const timers = shareLooks({ lookMs, clock }, async () => {
    const due = await readDueShards(db.sql);
    timersOldest.set(Math.max(0, ...due.map(({ lateMs }) => lateMs)) / 1_000);
    return due.map(({ shard }) => shard);
  });
  const segments = shareLooks({ lookMs, clock }, () => readSegmentShards(db.sql));
  return {
    async runOnce(signal) {
      const failures: unknown[] = [];
      const handle = async (
        found: SharedLooks,
        { kind, step }: { readonly kind: StepKind; readonly step: typeof handleTimers },
      ): Promise<boolean> => {
        let hasHandled = false;
        for (let shard = found.take(); shard !== undefined; shard = found.take()) {
          if (signal.aborted) break;
          hasHandled = true;
          const own = { topicId, shard };
          await handleAll(deps, () => step(db, own, observerOf(deps)), {
            kind,
            signal,
            clock,
          }).catch((error: unknown) => failures.push(error));
        }
        return hasHandled;
      };
      await changes.look(false);
      const hasChanged = await handle(changes, { kind: 'changes', step: handleChanges });
      if (signal.aborted) return false;
      await segments.look(false);
      const hasMoved = await handle(segments, { kind: 'segments', step: handleSegments });
      if (signal.aborted) return false;
      // What happened makes runs due that an earlier look has not seen.
      await timers.look(hasChanged || hasMoved);
      await handle(timers, { kind: 'timers', step: handleTimers });
      // Once the others have had their turn: a shard that fails comes first again, as the oldest.
      if (failures.length > 0) throw new AggregateError(failures, 'steps of shards failed');
      return [changes, segments, timers].some(({ hadSome }) => hadSome());
    },
  };
}

/** The shards that the last look found, each for one of those who take them. */
type SharedLooks = {
  /** Looks, unless another did a moment ago. `isAnew`: that may have been too early. */
  look(isAnew: boolean): Promise<void>;
  take(): number | undefined;
  /** Whether the last look found some. */
  hadSome(): boolean;
};

function shareLooks(
  { lookMs, clock }: Parameters<typeof createEngine>[1],
  read: () => Promise<number[]>,
): SharedLooks {
  let found: number[] = [];
  let hadSome = false;
  let looking: Promise<void> | null = null;
  let lookedAt = -Infinity;
  return {
    async look(isAnew) {
      const ageMaxMs = hadSome ? lookMs / LOOKS_WHILE_BUSY : lookMs;
      if (!isAnew && clock.monotonicMs() - lookedAt < ageMaxMs) return looking ?? undefined;
      lookedAt = clock.monotonicMs();
      const own = read().then((shards) => {
        found = shards;
        hadSome = shards.length > 0;
      });
      // The next one looks again at once.
      looking = own.catch(() => {
        lookedAt = -Infinity;
      });
      await own;
    },
    take: () => found.shift(),
    hadSome: () => hadSome,
  };
}

type StepKind = 'changes' | 'segments' | 'timers';

/** Steps in a row of one shard, and when none begins any more: then others have their turn. */
const STEPS_OF_TURN = 5;
const TURN_MS = 250;

async function handleAll(
  { dispatch }: EngineDependencies,
  step: () => Promise<ShardStep | null>,
  {
    kind,
    signal,
    clock,
  }: {
    readonly kind: StepKind;
    readonly signal: AbortSignal;
    readonly clock: Pick<Clock, 'monotonicMs'>;
  },
): Promise<void> {
  const until = clock.monotonicMs() + TURN_MS;
  for (let steps = 0; steps < STEPS_OF_TURN && !signal.aborted; steps += 1) {
    if (steps > 0 && clock.monotonicMs() >= until) return;
    const done = await step();
    if (done === null) return;
    stepsTotal.inc({ kind }, done.handled);
    const { asked = 0, changed = 0 } = done.rechecks ?? {};
    segmentRechecksTotal.inc({ changed: 'true' }, changed);
    segmentRechecksTotal.inc({ changed: 'false' }, asked - changed);
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
    onSegmentFailure(error, slug) {
      segmentFailuresTotal.inc();
      logger.error({ err: error, segment: slug }, 'a live segment could not be asked, it is later');
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
