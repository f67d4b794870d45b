import type { Lane } from '@tidings/contracts/channels/channels';
import { onAbort, systemClock, type Clock, type Timers } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { createSlotHoldings } from './slot-holdings.ts';
import { createSlotQueue } from './slot-queue.ts';

/** Lane and application that slots are taken for. */
export type SlotOwner = { readonly lane: Lane; readonly applicationId: string };

/**
 * Limits the sends in flight of one process, across all campaigns.
 *
 * - Lanes: bulk never takes the express share (20 %), so a small campaign never waits for a large
 *   one. Express may use every slot, except that a waiting bulk lane below its 20 % gets the next
 *   free one.
 * - Applications: 10 % of the slots stay free for applications without one. A slow or new
 *   application gets at most as many slots as it leaves free.
 * - Groups: bulk is refilled when half of its slots are free, or after 10 ms: a group is marked by
 *   one statement, and a statement costs as much as ten rows. Express never waits for a group.
 * - Waiting: waiting chunks may block their partition. An application has no more waiting chunks
 *   than get a slot within a second. One that waits longer while its application is slow gets none
 *   and comes due later. `onWait` reports a long wait, so that other chunks can proceed; the chunk
 *   stays in the queue.
 */
export interface SendSlots {
  /**
   * Takes up to `wanted` slots that the owner may use, and waits for the first one. Resolves with 0
   * after `timeoutMs` or on abort; earlier if the application is slow or has too many waiting
   * chunks, unless `isPatient`.
   */
  take(wanted: number, options: TakeOptions): Promise<number>;
  /** Releases one slot. */
  release(owner: SlotOwner): void;
  /** Records the duration of one send of the application. */
  recordSendMs(applicationId: string, sendMs: number): void;
  /** Milliseconds to postpone a chunk before it claims rows; 0 if it may ask for a slot. */
  putOffMs(owner: SlotOwner): number;
  /**
   * Milliseconds until rows without a slot come due again: the application's next queue position.
   */
  queueMs(owner: SlotOwner): number;
}

type TakeOptions = SlotOwner & {
  readonly timeoutMs: number;
  readonly isPatient?: boolean;
  /**
   * Called once a wait is long: at once if the application's sends may be slow, otherwise after 100
   * ms.
   */
  readonly onWait?: () => void;
  readonly signal: AbortSignal;
};

/** Share of the slots reserved for each lane. */
const LANE_SHARE = 1 / 5;
/** Share of the slots kept free for applications that hold none; takes effect from ten slots. */
const NEW_APPLICATIONS_SHARE = 1 / 10;
/**
 * Maximum wait of a slow application's chunk, and the total expected wait that an application may
 * queue.
 */
const PATIENCE_MS = 1_000;
/** A chunk that waits longer lets other chunks proceed. */
const LONG_WAIT_MS = 100;

/** Bulk is given slots in groups, at the latest so long after the first one of a group is free. */
const REFILL_MS = 10;

type Waiting = SlotOwner & {
  readonly wanted: number;
  granted: number;
  readonly finish: () => void;
};

export function createSendSlots(
  size: number,
  clock: Pick<Clock, 'monotonicMs'> & Timers = systemClock,
): SendSlots {
  const share = size < 2 ? 0 : Math.max(1, Math.floor(size * LANE_SHARE));
  const reserved = Math.floor(size * NEW_APPLICATIONS_SHARE);
  const inUse: Record<Lane, number> = { express: 0, bulk: 0 };
  const holdings = createSlotHoldings(clock);
  const queue = createSlotQueue(clock);
  /** A short array, not a Set: V8 keeps outgrown hash tables alive until old-space GC. */
  const waiting: Waiting[] = [];
  const serviceOrder = createServiceOrder();
  let isServingSoon = false;
  /** While the group that is served next may still grow. */
  let callOffRefill: (() => void) | null = null;

  const heldBy = ({ applicationId }: SlotOwner): number => holdings.heldBy(applicationId);
  /**
   * Treat an unproven application as slow: a large campaign could take most slots and keep them.
   */
  const mayBeSlow = ({ applicationId }: SlotOwner): boolean =>
    reserved > 0 ? !holdings.isProved(applicationId) : holdings.isSlow(applicationId);
  const allowedTo = (owner: SlotOwner): number => {
    const free = size - inUse.express - inUse.bulk;
    const ofLane = owner.lane === 'express' ? free : Math.min(free, size - share - inUse.bulk);
    const own = heldBy(owner);
    const ofSlow = mayBeSlow(owner) ? Math.floor((free - own) / 2) : Infinity;
    const allowed = Math.min(ofLane - reserved, ofSlow);
    // An application without a slot always gets one if one is free.
    return Math.max(allowed, own === 0 ? Math.min(1, ofLane) : 0, 0);
  };
  const takeNow = (wanted: number, owner: SlotOwner): number => {
    const taken = Math.min(wanted, allowedTo(owner));
    if (taken === 0) return 0;
    inUse[owner.lane] += taken;
    holdings.add(owner.applicationId, taken);
    return taken;
  };
  const waitingOf = ({ lane, applicationId }: SlotOwner): number => {
    let own = 0;
    for (const other of waiting)
      if (other.applicationId === applicationId && other.lane === lane) own += 1;
    return own;
  };
  /** Expected milliseconds until one of the application's slots is released. */
  const slotEveryMs = (owner: SlotOwner): number =>
    holdings.sendMs(owner.applicationId) / Math.max(1, heldBy(owner));
  /** One chunk may always wait, so that the next released slot is used at once. */
  const isCrowded = (owner: SlotOwner): boolean => {
    const ahead = waitingOf(owner);
    return ahead > 0 && (ahead + 1) * slotEveryMs(owner) > PATIENCE_MS;
  };
  const queueMs = (owner: SlotOwner): number =>
    queue.nextDelayMs(owner.applicationId, slotEveryMs(owner));
  /** Order: by lane, then fewest slots held, then served longest ago. */
  const isBefore = (a: Waiting, b: Waiting): boolean => {
    if (a.lane !== b.lane) return (a.lane === 'bulk') === inUse.bulk < share;
    const fewer = heldBy(a) - heldBy(b);
    return (
      fewer < 0 ||
      (fewer === 0 && serviceOrder.lastOf(a.applicationId) < serviceOrder.lastOf(b.applicationId))
    );
  };
  const nextToServe = (): Waiting | undefined => {
    let next: Waiting | undefined;
    for (const one of waiting) {
      if (
        one.granted < one.wanted &&
        (next === undefined || isBefore(one, next)) &&
        allowedTo(one) > 0
      )
        next = one;
    }
    return next;
  };
  /** Grant slots one by one, so that the order holds for each. */
  const serve = (): void => {
    isServingSoon = false;
    callOffRefill = null;
    for (let next = nextToServe(); next !== undefined; next = nextToServe()) {
      next.granted += takeNow(1, next);
      serviceOrder.note(next.applicationId);
    }
    for (const one of waiting.filter(({ granted }) => granted > 0)) one.finish();
  };

  const ofBulk = size - share;
  /** Whether nothing is gained by more free slots: half of those of bulk are, or express waits. */
  const isGroup = (): boolean =>
    2 * inUse.bulk <= ofBulk || waiting.some(({ lane }) => lane === 'express');
  /**
   * Serves once per event-loop turn, so that slots released together go out as one group; bulk as
   * soon as they make a large one.
   */
  const serveSoon = (): void => {
    if (waiting.length === 0) return;
    const isLarge = isGroup();
    if (isLarge && callOffRefill !== null) {
      callOffRefill();
      callOffRefill = null;
      isServingSoon = false;
    }
    if (isServingSoon) return;
    isServingSoon = true;
    if (isLarge) setImmediate(serve);
    else callOffRefill = clock.after(REFILL_MS, serve);
  };

  /** Returns a function that cancels the notice. */
  const noticeWait = (applicationId: string, onWait: (() => void) | undefined): (() => void) => {
    if (onWait === undefined) return () => undefined;
    if (holdings.isQuick(applicationId, LONG_WAIT_MS)) return clock.after(LONG_WAIT_MS, onWait);
    onWait();
    return () => undefined;
  };

  return {
    async take(wanted, { lane, applicationId, timeoutMs, isPatient = false, onWait, signal }) {
      if (signal.aborted) return 0;
      const owner = { lane, applicationId };
      // A new request does not overtake waiting chunks of its owner, or chunks about to be served.
      const isNext = (callOffRefill !== null || !isServingSoon) && waitingOf(owner) === 0;
      const isWorthIt = lane === 'express' || isGroup();
      const atOnce = isNext && isWorthIt ? takeNow(wanted, owner) : 0;
      if (atOnce > 0) return atOnce;
      if (!isPatient && isCrowded(owner)) return 0;
      return new Promise((resolve) => {
        let callOff = (): void => undefined;
        const finish = (): void => {
          callOff();
          callOffNotice();
          stopListening();
          const place = waiting.indexOf(mine);
          if (place >= 0) waiting.splice(place, 1);
          resolve(mine.granted);
        };
        const waitFor = (leftMs: number): void => {
          callOff = clock.after(Math.min(leftMs, PATIENCE_MS), () => {
            if (leftMs <= PATIENCE_MS || (!isPatient && holdings.isSlow(applicationId))) finish();
            else waitFor(leftMs - PATIENCE_MS);
          });
        };
        const mine: Waiting = { ...owner, wanted, granted: 0, finish };
        waitFor(timeoutMs);
        const callOffNotice = noticeWait(applicationId, onWait);
        const stopListening = onAbort(signal, finish);
        waiting.push(mine);
        if (!isWorthIt && allowedTo(owner) > 0) serveSoon();
      });
    },
    release(owner) {
      inUse[owner.lane] -= 1;
      holdings.remove(owner.applicationId);
      serveSoon();
    },
    recordSendMs: (applicationId, sendMs) => holdings.recordSendMs(applicationId, sendMs),
    putOffMs: (owner) => (isCrowded(owner) ? queueMs(owner) : 0),
    queueMs,
  };
}

/** Applications beyond this number are evicted. */
const REMEMBERED_MAX = 1_000;

/** A growing counter of when each waiting application was last served. */
function createServiceOrder(): {
  lastOf(applicationId: string): number;
  note(applicationId: string): void;
} {
  const lastServed = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  let now = 0;
  return {
    lastOf: (applicationId) => lastServed.get(applicationId) ?? 0,
    note(applicationId) {
      now += 1;
      lastServed.set(applicationId, now);
    },
  };
}
