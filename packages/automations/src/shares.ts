import { systemClock, type Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';

/** What the questions of a step may take: others wait for its shard, and for the loop that has it. */
const STEP_MS = 250;
/** What a step of changes may take in all. On a busy machine smaller ones would only be more. */
const CHANGES_MS = 1_000;
/** After it, half of what an application has had is forgotten. */
const HALF_LIFE_MS = 10_000;
/** How much of the newest cost is known at once. */
const WEIGHT = 0.3;
const CHANGES = { min: 100, first: 200, max: 1_000 };

type Work = { readonly automationId: string; readonly applicationId: string };

/** What applications have had of the time of steps, so that what one costs others do not wait for. */
export type Shares = {
  /** Asking for the runs of an automation took `ms`. */
  note(automationId: string, ms: number): void;
  /**
   * Of some runs, those that a step has time for, in their order. The automation comes first whose
   * application will have had the least with it: a light one does not wait for a heavy one, and the
   * heavy one has its share. At least one automation has its runs.
   */
  choose<T extends Work>(runs: readonly T[]): T[];
  /** How many changes a step reads. */
  readonly changes: number;
  /** A step of `count` changes took `ms`. */
  noteChanges(count: number, ms: number): void;
};

export function createShares(clock: Pick<Clock, 'monotonicMs'>): Shares {
  const costs = new LRUCache<string, number>({ max: 10_000 });
  const had = new LRUCache<string, { readonly ms: number; readonly at: number }>({ max: 10_000 });
  let changes = CHANGES.first;
  const hadOf = (applicationId: string, now: number): number => {
    const { ms, at } = had.get(applicationId) ?? { ms: 0, at: now };
    return ms * 0.5 ** ((now - at) / HALF_LIFE_MS);
  };
  return {
    note(automationId, ms) {
      const before = costs.get(automationId) ?? ms;
      costs.set(automationId, before + (ms - before) * WEIGHT);
    },
    choose(runs) {
      const now = clock.monotonicMs();
      const left = new Map(
        runs.map(({ automationId, applicationId }) => [automationId, applicationId]),
      );
      const chosen = new Set<string>();
      for (let spent = 0; left.size > 0;) {
        let next = { automationId: '', applicationId: '', ms: 0, after: Infinity };
        for (const [automationId, applicationId] of left) {
          const ms = costs.get(automationId) ?? 0;
          const after = hadOf(applicationId, now) + ms;
          if (after < next.after) next = { automationId, applicationId, ms, after };
        }
        if (chosen.size > 0 && spent + next.ms > STEP_MS) break;
        spent += next.ms;
        had.set(next.applicationId, { ms: next.after, at: now });
        chosen.add(next.automationId);
        left.delete(next.automationId);
      }
      return runs.filter(({ automationId }) => chosen.has(automationId));
    },
    get changes() {
      return changes;
    },
    noteChanges(count, ms) {
      // A few tell little of many.
      if (count < changes && ms < CHANGES_MS) return;
      const fitting = Math.floor((count * CHANGES_MS) / Math.max(ms, 1));
      changes = Math.max(CHANGES.min, Math.min(CHANGES.max, 2 * changes, fitting));
    },
  };
}

/** Of this process: for runs of automations, and for people of live segments. */
export const shares = createShares(systemClock);
export const segmentShares = createShares(systemClock);

/** The first of each application, then the second of each, and so on. */
export function inTurns<T extends Pick<Work, 'applicationId'>>(all: readonly T[]): T[] {
  const turns: T[][] = [];
  for (const own of Map.groupBy(all, ({ applicationId }) => applicationId).values())
    for (const [turn, one] of own.entries()) (turns[turn] ??= []).push(one);
  return turns.flat();
}
