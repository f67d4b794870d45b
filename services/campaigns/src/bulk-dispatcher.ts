import type { Channel } from '@tidings/contracts';
import { dueBulkChunks } from '@tidings/delivery/bulk';
import { postponeChunks, takeChunks, type DispatchedChunk } from '@tidings/delivery/chunks';
import type { ExpansionDependencies } from './expand-small.ts';

export type BulkDispatcherSettings = {
  /** Pointers of large campaigns that wait in a channel's topic, or are worked on, at most. */
  readonly recordsMax: number;
  readonly redispatchAfterMs: number;
};

/** Keeps a few pointers of large campaigns before the workers. */
export interface BulkDispatcher {
  dispatchDue(): Promise<void>;
  /** Whether more could have been announced on this channel the last time than there was. */
  hasCapacity(channel: Channel): boolean;
}

/**
 * Chunks of large campaigns wait in the table, not in the topic, and come up by turns of their applications: a topic
 * is read in the order it was written in, so whoever came first would have it for hours. First tries and retries come
 * up alike. Without room in the topic nothing is taken.
 */
export function createBulkDispatcher(
  { db, dispatcher }: Pick<ExpansionDependencies, 'db' | 'dispatcher'>,
  settings: BulkDispatcherSettings,
): BulkDispatcher {
  const { recordsMax, redispatchAfterMs } = settings;
  // Who was served last comes up last, also where there is room for one at a time. Another process has turns of its own.
  let served: ReadonlyMap<string, number> = new Map();
  let turn = 0;
  let full: ReadonlySet<Channel> = new Set();

  async function dispatchChannel(
    chunks: readonly DispatchedChunk[],
    foundFull: Set<Channel>,
  ): Promise<void> {
    const [first] = chunks;
    if (first === undefined) return;
    foundFull.add(first.channel);
    const backlog = await dispatcher.backlog(first.channel, 'bulk');
    const waiting = chunks.filter((chunk) => backlog.holds(chunk));
    await postponeChunks(db, waiting, redispatchAfterMs);
    const room = Math.max(0, recordsMax - backlog.unread);
    const ready = roundRobin(
      chunks.filter((chunk) => !backlog.holds(chunk)),
      served,
    );
    if (ready.length < room) foundFull.delete(first.channel);
    if (room === 0) return;
    const selected = ready.slice(0, room);
    const taken = new Set((await takeChunks(db, selected, redispatchAfterMs)).map(keyOf));
    const dispatched = selected.filter((chunk) => taken.has(keyOf(chunk)));
    await dispatcher.dispatch(dispatched, 'bulk');
    const now = new Map(served);
    // Also of those that had nothing to announce after all: they are not to come first for ever.
    for (const chunk of selected) now.set(ownerOf(chunk), (turn += 1));
    served = now;
  }

  return {
    async dispatchDue() {
      const due = await dueBulkChunks(db, recordsMax);
      const owners = new Set(due.map(ownerOf));
      served = new Map([...served].filter(([owner]) => owners.has(owner)));
      const foundFull = new Set<Channel>();
      const channels = Map.groupBy(due, ({ channel }) => channel).values();
      const results = await Promise.allSettled(
        [...channels].map((chunks) => dispatchChannel(chunks, foundFull)),
      );
      full = foundFull;
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    },
    hasCapacity: (channel) => !full.has(channel),
  };
}

/** One chunk of each application after another, beginning with the one that was served longest ago. */
function roundRobin(
  chunks: readonly DispatchedChunk[],
  served: ReadonlyMap<string, number>,
): DispatchedChunk[] {
  const lastServed = (chunk: DispatchedChunk | undefined): number =>
    chunk === undefined ? 0 : (served.get(ownerOf(chunk)) ?? 0);
  const queues = [...Map.groupBy(chunks, ownerOf).values()].toSorted(
    ([a], [b]) => lastServed(a) - lastServed(b),
  );
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, round) =>
    queues.flatMap((queue) => queue[round] ?? []),
  ).flat();
}

const ownerOf = ({ applicationId, channel }: DispatchedChunk): string =>
  `${channel}:${applicationId}`;
const keyOf = ({
  campaignId,
  chunkNo,
}: {
  readonly campaignId: string;
  readonly chunkNo: number;
}): string => `${campaignId}:${chunkNo}`;
