import type { Channel } from '@tidings/contracts/channels/channels';
import { dueBulkChunks } from '@tidings/delivery/bulk';
import { postponeChunks, takeChunks, type DueChunkWithRecord } from '@tidings/delivery/chunks';
import type { ExpansionDependencies } from './expand-small.ts';

export type BulkDispatcherSettings = {
  /** Maximum dispatch records of large campaigns per channel that are unread or in progress. */
  readonly recordsMax: number;
  readonly redispatchAfterMs: number;
};

/** Keeps a bounded number of dispatch records of large campaigns in each channel's topic. */
export interface BulkDispatcher {
  dispatchDue(): Promise<void>;
  /** Whether the last pass could have dispatched more chunks on this channel than were due. */
  hasCapacity(channel: Channel): boolean;
}

/**
 * Chunks of large campaigns wait in the table, not in the topic, and are dispatched round-robin by
 * application. A topic is read in order, so the first application would otherwise occupy it for
 * hours. First attempts and retries share the order. If the topic is full, no chunk is taken.
 */
export function createBulkDispatcher(
  { keyedDb, dispatcher }: Pick<ExpansionDependencies, 'keyedDb' | 'dispatcher'>,
  settings: BulkDispatcherSettings,
): BulkDispatcher {
  const { recordsMax, redispatchAfterMs } = settings;
  // Remembered across passes, so that the order also holds if there is room for one chunk at a
  // time. Each process has its own order.
  let served: ReadonlyMap<string, number> = new Map();
  let turn = 0;
  let full: ReadonlySet<Channel> = new Set();

  async function dispatchChannel(
    chunks: readonly DueChunkWithRecord[],
    foundFull: Set<Channel>,
  ): Promise<void> {
    const [first] = chunks;
    if (first === undefined) return;
    foundFull.add(first.channel);
    const backlog = await dispatcher.backlog(first.channel, 'bulk');
    const waiting = chunks.filter((chunk) => backlog.holds(chunk));
    await postponeChunks(keyedDb, waiting, redispatchAfterMs);
    const room = Math.max(0, recordsMax - backlog.unread);
    const ready = roundRobin(
      chunks.filter((chunk) => !backlog.holds(chunk)),
      served,
    );
    if (ready.length < room) foundFull.delete(first.channel);
    if (room === 0) return;
    const selected = ready.slice(0, room);
    const taken = new Set((await takeChunks(keyedDb, selected, redispatchAfterMs)).map(keyOf));
    const dispatched = selected.filter((chunk) => taken.has(keyOf(chunk)));
    await dispatcher.dispatch(dispatched, 'bulk');
    const now = new Map(served);
    // Includes chunks with nothing to dispatch, so that they do not come first again.
    for (const chunk of selected) now.set(ownerOf(chunk), (turn += 1));
    served = now;
  }

  return {
    async dispatchDue() {
      const due = await dueBulkChunks(keyedDb, recordsMax);
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

/** One chunk of each application per round, starting with the application served longest ago. */
function roundRobin(
  chunks: readonly DueChunkWithRecord[],
  served: ReadonlyMap<string, number>,
): DueChunkWithRecord[] {
  const lastServed = (chunk: DueChunkWithRecord | undefined): number =>
    chunk === undefined ? 0 : (served.get(ownerOf(chunk)) ?? 0);
  const queues = [...Map.groupBy(chunks, ownerOf).values()].toSorted(
    ([a], [b]) => lastServed(a) - lastServed(b),
  );
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  return Array.from({ length: longest }, (_, round) =>
    queues.flatMap((queue) => queue[round] ?? []),
  ).flat();
}

const ownerOf = ({ applicationId, channel }: DueChunkWithRecord): string =>
  `${channel}:${applicationId}`;
const keyOf = ({
  campaignId,
  chunkNo,
}: {
  readonly campaignId: string;
  readonly chunkNo: number;
}): string => `${campaignId}:${chunkNo}`;
