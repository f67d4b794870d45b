import type { Clock } from '@tidings/platform';
import { LRUCache } from 'lru-cache';

/** Applications beyond this number are forgotten. A forgotten application counts as quick. */
const REMEMBERED_MAX = 1_000;
/** An application whose sends last longer than this is slow: other chunks do not wait for its slots. */
const SLOW_MS = 1_000;
/** Weight of each new duration in the mean. */
const MEAN_SHARE = 0.2;
/**
 * Maximum gap within one run of sends: slots released and taken again sooner belong to the same
 * run.
 */
const BREAK_MS = 100;

/** The slots that each application holds, and how long its sends take. */
export interface SlotHoldings {
  heldBy(applicationId: string): number;
  add(applicationId: string, slots: number): void;
  /** Releases one slot. */
  remove(applicationId: string): void;
  recordSendMs(applicationId: string, sendMs: number): void;
  /**
   * Milliseconds that a send of the application takes: the mean of past sends, or the time in which none of its slots
   * returned, whichever is longer. The second finds a receiver that hangs before its first answer.
   */
  sendMs(applicationId: string): number;
  isSlow(applicationId: string): boolean;
  /** Whether its sends are known not to take longer. Before its first answer nothing is known of an application. */
  isQuick(applicationId: string, thanMs?: number): boolean;
  /** Whether its sends are quick now: in this run of sends at least as many slots returned as it holds. */
  isProved(applicationId: string): boolean;
}

type Holding = {
  slots: number;
  /** When the first slot was taken or the last one returned. */ since: number;
  /** Slots that returned in this run of sends. */ returns: number;
};

export function createSlotHoldings(clock: Pick<Clock, 'monotonicMs'>): SlotHoldings {
  const holdings = new Map<string, Holding>();
  const meansMs = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  const ended = new LRUCache<string, Holding>({ max: REMEMBERED_MAX });
  const returnsBefore = (applicationId: string): number => {
    const last = ended.get(applicationId);
    return last !== undefined && clock.monotonicMs() - last.since <= BREAK_MS ? last.returns : 0;
  };
  const isSlow = (applicationId: string): boolean => sendMs(applicationId) > SLOW_MS;
  const sendMs = (applicationId: string): number => {
    const holding = holdings.get(applicationId);
    const sinceReturnMs = holding === undefined ? 0 : clock.monotonicMs() - holding.since;
    return Math.max(meansMs.get(applicationId) ?? 0, sinceReturnMs);
  };
  const isQuick = (applicationId: string, thanMs = SLOW_MS): boolean =>
    meansMs.has(applicationId) && sendMs(applicationId) <= thanMs;
  return {
    heldBy: (applicationId) => holdings.get(applicationId)?.slots ?? 0,
    add(applicationId, slots) {
      const holding = holdings.get(applicationId);
      if (holding === undefined)
        holdings.set(applicationId, {
          slots,
          since: clock.monotonicMs(),
          returns: returnsBefore(applicationId),
        });
      else holding.slots += slots;
    },
    remove(applicationId) {
      const holding = holdings.get(applicationId);
      if (holding === undefined) return;
      holding.slots -= 1;
      holding.returns += 1;
      holding.since = clock.monotonicMs();
      if (holding.slots > 0) return;
      holdings.delete(applicationId);
      ended.set(applicationId, holding);
    },
    recordSendMs(applicationId, ms) {
      const before = meansMs.get(applicationId) ?? ms;
      meansMs.set(applicationId, before + (ms - before) * MEAN_SHARE);
    },
    sendMs,
    isSlow,
    isQuick,
    isProved(applicationId) {
      const holding = holdings.get(applicationId);
      const { slots, returns } = holding ?? { slots: 0, returns: returnsBefore(applicationId) };
      return returns > 0 && returns >= slots && isQuick(applicationId);
    },
  };
}
