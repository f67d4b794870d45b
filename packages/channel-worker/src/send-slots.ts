import type { Lane } from '@tidings/contracts';
import { onAbort, systemClock, type Clock, type Timers } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { createSlotHoldings } from './slot-holdings.ts';
import { createSlotQueue } from './slot-queue.ts';

/** Whose sends the slots are for. */
export type SlotOwner = { readonly lane: Lane; readonly applicationId: string };

/**
 * The sends in flight of one process: a bound that all campaigns share, and none has for itself.
 *
 * Bulk never takes the share of the express lane, so that a small campaign waits for no send of a large one. Express
 * may take all, but while bulk waits and has less than its share, the next free slot is its. An application whose
 * provider is slow must not have them all either: a tenth stays free for those that have none, and one that is known to
 * be slow, or begins to send, has no more than it leaves free.
 *
 * Chunks that wait here may hold turns of their partition. So an application has no more chunks waiting than get a slot
 * within a second, and one that waits longer while its application is slow gets none: it comes again later. `onWait`
 * announces a wait that may be long: the chunk gives its turn to others and keeps its place here.
 */
export interface SendSlots {
  /**
   * Takes as many free slots as are wanted and are the owner's to take, at least one; waits for the first.
   * Resolves with 0 when there was none within `timeoutMs` or `signal` aborted, and sooner when the application is slow
   * or too many of its chunks wait, unless `isPatient`.
   */
  take(wanted: number, options: TakeOptions): Promise<number>;
  /** Gives one back. */
  release(owner: SlotOwner): void;
  /** How long a send of this application took. */
  recordSendMs(applicationId: string, sendMs: number): void;
  /** For how long a chunk of the owner is put off before any of it is claimed; 0 when it may ask for a slot. */
  putOffMs(owner: SlotOwner): number;
  /** After how long rows that got no slot are due again: the next place in the queue of their application. */
  queueMs(owner: SlotOwner): number;
}

type TakeOptions = SlotOwner & {
  readonly timeoutMs: number;
  readonly isPatient?: boolean;
  /** Called when a wait is long: at once where the application's sends may take long, else when it has lasted. */
  readonly onWait?: () => void;
  readonly signal: AbortSignal;
};

/** The share of the slots that a lane has for itself. */
const LANE_SHARE = 1 / 5;
/** Of ten slots or more so many stay free for applications that have none. */
const NEW_APPLICATIONS_SHARE = 1 / 10;
/** How long a chunk of a slow application waits for a slot, and how much waiting an application may have here. */
const PATIENCE_MS = 1_000;
/** A chunk that waits longer gives its turn to others. */
const LONG_WAIT_MS = 100;

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
  /** A list, and a short one: what passes through a Set that has grown old is kept by its old tables (README, decisions). */
  const waiting: Waiting[] = [];
  const serviceOrder = createServiceOrder();
  let isServingSoon = false;

  const heldBy = ({ applicationId }: SlotOwner): number => holdings.heldBy(applicationId);
  /** By a large campaign an application could take most slots at once, and keep them for as long as it turns out to be slow. */
  const mayBeSlow = ({ applicationId }: SlotOwner): boolean =>
    reserved > 0 ? !holdings.isProved(applicationId) : holdings.isSlow(applicationId);
  const allowedTo = (owner: SlotOwner): number => {
    const free = size - inUse.express - inUse.bulk;
    const ofLane = owner.lane === 'express' ? free : Math.min(free, size - share - inUse.bulk);
    const own = heldBy(owner);
    const ofSlow = mayBeSlow(owner) ? Math.floor((free - own) / 2) : Infinity;
    const allowed = Math.min(ofLane - reserved, ofSlow);
    // Whoever has none gets one, if there is one.
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
  /** How often a slot returns to the application, about. */
  const slotEveryMs = (owner: SlotOwner): number =>
    holdings.sendMs(owner.applicationId) / Math.max(1, heldBy(owner));
  /** One may always wait, so that the next slot that returns is used at once. */
  const isCrowded = (owner: SlotOwner): boolean => {
    const ahead = waitingOf(owner);
    return ahead > 0 && (ahead + 1) * slotEveryMs(owner) > PATIENCE_MS;
  };
  const queueMs = (owner: SlotOwner): number =>
    queue.nextDelayMs(owner.applicationId, slotEveryMs(owner));
  /** A lane before the other, then who has the fewest, then who has waited longest since it was served. */
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
  /** One slot after another, so that each goes to whom it belongs. */
  const serve = (): void => {
    isServingSoon = false;
    for (let next = nextToServe(); next !== undefined; next = nextToServe()) {
      next.granted += takeNow(1, next);
      serviceOrder.note(next.applicationId);
    }
    for (const one of waiting.filter(({ granted }) => granted > 0)) one.finish();
  };

  /** Returns what calls it off. */
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
      // No newcomer overtakes: neither its own, nor those to whom slots that came back are about to go.
      const atOnce = !isServingSoon && waitingOf(owner) === 0 ? takeNow(wanted, owner) : 0;
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
      });
    },
    release(owner) {
      inUse[owner.lane] -= 1;
      holdings.remove(owner.applicationId);
      // Once for all that come back in one turn of the loop, so that who gets them can arm them together.
      if (isServingSoon || waiting.length === 0) return;
      isServingSoon = true;
      setImmediate(serve);
    },
    recordSendMs: (applicationId, sendMs) => holdings.recordSendMs(applicationId, sendMs),
    putOffMs: (owner) => (isCrowded(owner) ? queueMs(owner) : 0),
    queueMs,
  };
}

/** Applications beyond this number are forgotten. */
const REMEMBERED_MAX = 1_000;

/** When applications that waited were last served, as a number that only grows. */
function createServiceOrder(): {
  lastOf(applicationId: string): number;
  note(applicationId: string): void;
} {
  const turns = new LRUCache<string, number>({ max: REMEMBERED_MAX });
  let now = 0;
  return {
    lastOf: (applicationId) => turns.get(applicationId) ?? 0,
    note(applicationId) {
      now += 1;
      turns.set(applicationId, now);
    },
  };
}
