import { leaseMessages, releaseLeases, type InboxQuestion } from '@tidings/delivery/inbox';
import { Gauge, withoutTrace, type Clock, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { createMessageTexts, type MessageText } from './message-texts.ts';

const waitingDevices = new Gauge({
  name: 'tidings_inbox_waiting_devices',
  help: 'Connections of devices that wait for messages.',
});

/** What a device has fetched is its own for so long; then it must have said that it came. */
export const MESSAGE_LEASE_MS = 30_000;
/** Devices that one statement asks for. */
const VISITORS_PER_STATEMENT = 500;
/** When nobody told that something waits: nudges may be lost, leases end, campaigns are resumed. */
const LOOK_EVERY_MS = 15_000;
/** Also the time after which a statement that failed is tried again. */
const TICK_MS = 1_000;
/** Windows of one device; the longest there makes room. */
const PER_DEVICE_MAX = 6;

/** Why a visitor is shown out: the device is gone, its place is another's (a newer window's, another application's), the room is closed. */
export type ShownOut = 'no_such_device' | 'replaced' | 'closed';

/** A connection that waits for messages of its device's user. */
export interface Visitor {
  readonly question: InboxQuestion;
  /** Whose the device was when it came; messages are given to whose it is when they are. */
  readonly userId: string;
  /** False when they cannot reach the device any more: others get them at once. */
  take(messages: readonly MessageText[]): boolean;
  /** Once a second. */
  tick(nowMs: number): void;
  showOut(why: ShownOut): void;
}

export interface WaitingRoom {
  /** Null when it is full and the visitor's application has its share. Whoever comes to a closed one is shown out at once. */
  enter(visitor: Visitor): { leave(): void } | null;
  /** Something waits for these users; null: it may wait for anybody. */
  nudge(userIds: readonly string[] | null): void;
  close(): Promise<void>;
}

type Entry = { readonly visitor: Visitor; userId: string };

export type WaitingRoomOptions = {
  readonly db: Pick<Database, 'sql'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly visitorsMax: number;
  readonly lookEveryMs?: number;
  readonly leaseMs?: number;
};

/**
 * All who wait for messages share one loop: whoever has just come, or was nudged, is asked for together, in one statement at
 * a time; and all of them every now and then. There is no timer and no query of one connection. One application may have
 * all places while no other wants them.
 */
export function createWaitingRoom({
  db,
  clock,
  logger,
  visitorsMax,
  lookEveryMs = LOOK_EVERY_MS,
  leaseMs = MESSAGE_LEASE_MS,
}: WaitingRoomOptions): WaitingRoom {
  const entries = new Set<Entry>();
  const ofUser = new Index<Entry>();
  const ofDevice = new Index<Entry>();
  const ofApplication = new Index<Entry>();
  const due = new Set<Entry>();
  const textsOf = createMessageTexts(db);
  let lookedAt = clock.monotonicMs();
  let ticking: NodeJS.Timeout | undefined;
  let serving: Promise<void> | undefined;
  let isClosed = false;

  function leave(entry: Entry): void {
    if (!entries.delete(entry)) return;
    due.delete(entry);
    ofUser.delete(entry.userId, entry);
    ofDevice.delete(deviceKey(entry.visitor.question), entry);
    ofApplication.delete(entry.visitor.question.applicationId, entry);
    waitingDevices.set(entries.size);
    if (entries.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  function showOut(entry: Entry, why: ShownOut): void {
    leave(entry);
    entry.visitor.showOut(why);
  }

  /** In a full room the application with the most places gives one to whoever has fewer, until they are equal. */
  function hasRoomFor(applicationId: string): boolean {
    if (entries.size < visitorsMax) return true;
    const most = ofApplication.largest();
    const [longest] = most;
    if (longest === undefined || most.size <= ofApplication.of(applicationId).size + 1)
      return false;
    showOut(longest, 'replaced');
    return true;
  }

  async function askFor(asked: readonly Entry[]): Promise<void> {
    const answers = await leaseMessages(
      db,
      asked.map(({ visitor }) => visitor.question),
      { leaseMs },
    );
    const textOf = await textsOf(answers.flatMap(({ messages }) => messages));
    for (const [index, entry] of asked.entries()) {
      const { userId, messages } = answers[index] ?? { userId: null, messages: [] };
      if (userId === null) showOut(entry, 'no_such_device');
      else if (messages.length > 0) await give(entry, userId, messages.map(textOf));
      if (messages.length === entry.visitor.question.messagesMax && entries.has(entry))
        due.add(entry);
      if (userId !== null && userId !== entry.userId && entries.has(entry)) {
        ofUser.delete(entry.userId, entry);
        entry.userId = userId;
        ofUser.add(userId, entry);
      }
    }
  }

  async function give(
    entry: Entry,
    userId: string,
    messages: readonly MessageText[],
  ): Promise<void> {
    if (entries.has(entry) && entry.visitor.take(messages)) return;
    // Whom nothing reaches any more would be given the same again, without end.
    leave(entry);
    await releaseLeases(
      db,
      { ...entry.visitor.question, afterNo: (messages[0]?.lease.leaseNo ?? 0) - 1 },
      userId,
    );
    nudge([userId]);
  }

  function nudge(userIds: readonly string[] | null): void {
    if (userIds === null) for (const entry of entries) due.add(entry);
    else for (const userId of userIds) for (const entry of ofUser.of(userId)) due.add(entry);
    begin();
  }

  /** One statement at a time: who becomes due meanwhile is asked for by the next. */
  function begin(): void {
    if (due.size === 0 || isClosed) return;
    serving ??= withoutTrace(() =>
      serve().then(
        () => {
          serving = undefined;
          begin();
        },
        (err: unknown) => {
          serving = undefined;
          logger.warn({ err }, 'waiting messages could not be read, trying again');
        },
      ),
    );
  }

  async function serve(): Promise<void> {
    while (due.size > 0 && !isClosed) {
      const asked = [...due].slice(0, VISITORS_PER_STATEMENT);
      for (const entry of asked) due.delete(entry);
      try {
        await askFor(asked);
      } catch (error) {
        for (const entry of asked) if (entries.has(entry)) due.add(entry);
        throw error;
      }
    }
  }

  function tick(): void {
    const nowMs = clock.monotonicMs();
    for (const { visitor } of entries) visitor.tick(nowMs);
    if (nowMs - lookedAt >= lookEveryMs) {
      lookedAt = nowMs;
      nudge(null);
    } else begin();
  }

  return {
    enter(visitor) {
      if (isClosed) {
        // Not before the visitor knows that he was let in.
        queueMicrotask(() => visitor.showOut('closed'));
        return { leave: () => undefined };
      }
      if (!hasRoomFor(visitor.question.applicationId)) return null;
      const entry: Entry = { visitor, userId: visitor.userId };
      const key = deviceKey(visitor.question);
      const [longest] = ofDevice.of(key);
      if (longest !== undefined && ofDevice.of(key).size >= PER_DEVICE_MAX)
        showOut(longest, 'replaced');
      entries.add(entry);
      ofUser.add(entry.userId, entry);
      ofDevice.add(key, entry);
      ofApplication.add(visitor.question.applicationId, entry);
      waitingDevices.set(entries.size);
      due.add(entry);
      ticking ??= withoutTrace(() => setInterval(tick, TICK_MS));
      begin();
      return { leave: () => leave(entry) };
    },
    nudge,
    async close() {
      isClosed = true;
      for (const entry of entries) showOut(entry, 'closed');
      await serving;
    },
  };
}

const deviceKey = ({ applicationId, deviceId }: InboxQuestion): string =>
  `${applicationId}:${deviceId}`;

/** Entries by a key, in the order in which they came. */
class Index<T> {
  readonly #sets = new Map<string, Set<T>>();

  of(key: string): ReadonlySet<T> {
    return this.#sets.get(key) ?? new Set();
  }

  largest(): ReadonlySet<T> {
    let largest: ReadonlySet<T> = new Set();
    for (const set of this.#sets.values()) if (set.size > largest.size) largest = set;
    return largest;
  }

  add(key: string, entry: T): void {
    const set = this.#sets.get(key);
    if (set === undefined) this.#sets.set(key, new Set([entry]));
    else set.add(entry);
  }

  delete(key: string, entry: T): void {
    const set = this.#sets.get(key);
    set?.delete(entry);
    if (set?.size === 0) this.#sets.delete(key);
  }
}
