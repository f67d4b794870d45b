import type { Bus, Producer, TopicOffsets } from '@tidings/bus';
import type { Channel, Lane } from '@tidings/contracts/channels/channels';
import type { DispatchRecord } from '@tidings/contracts/ingest/records';
import { dispatchTopic, workerName } from '@tidings/contracts/topics';
import { markDispatched, type DueChunkWithRecord, type DueChunk } from '@tidings/delivery/chunks';
import { Counter, isTracing, TRACEPARENT } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { countUnread } from './unread.ts';
import { readTraceparents } from './read-traceparents.ts';

const dispatchedTotal = new Counter({
  name: 'tidings_chunks_dispatched_total',
  help: 'Chunks of deliveries dispatched to the workers, by cause.',
  labelNames: ['channel', 'cause'] as const,
});

export type Backlog = {
  /** Dispatch records that are unread, or whose chunk is not finished. */
  readonly unread: number;
  /** Whether the chunk's last dispatch record is one of them. */
  holds(chunk: DueChunkWithRecord): boolean;
};

/** Dispatches chunks to the workers of their channel and stores the position of each record. */
export interface ChunkDispatcher {
  dispatch(
    chunks: readonly DueChunk[],
    cause: 'expansion' | 'sweep' | 'bulk' | 'automation',
  ): Promise<void>;
  /** The uncommitted records of a channel's lane. */
  backlog(channel: Channel, lane: Lane): Promise<Backlog>;
  /** The chunks whose last dispatch record is in the topic and not committed. */
  waiting(chunks: readonly DueChunkWithRecord[]): Promise<ReadonlySet<DueChunkWithRecord>>;
}

export function createChunkDispatcher({
  bus,
  producer,
  keyedDb,
}: {
  readonly bus: Bus;
  readonly producer: Producer;
  readonly keyedDb: Database;
}): ChunkDispatcher {
  async function backlog(channel: Channel, lane: Lane): Promise<Backlog> {
    const topic = dispatchTopic(channel, lane);
    const [committed, offsets] = await Promise.all([
      bus.admin.committedOffsets(workerName(channel), topic),
      bus.admin.topicOffsets(topic),
    ]);
    return {
      unread: countUnread(committed, offsets),
      holds: (chunk) => isWaiting(chunk, committed, offsets),
    };
  }

  return {
    async dispatch(chunks, cause) {
      const traceparents = isTracing()
        ? await readTraceparents(
            keyedDb,
            chunks.map(({ campaignId }) => campaignId),
          )
        : undefined;
      for (const [topic, group] of byTopic(chunks)) {
        const positions = await producer.produce(
          topic,
          group.map(({ campaignId, chunkNo, applicationId }) => {
            const record: DispatchRecord = { campaignId, chunkNo, applicationId };
            const traceparent = traceparents?.get(campaignId);
            return {
              key: `${campaignId}:${chunkNo}`,
              value: JSON.stringify(record),
              ...(traceparent !== undefined && { headers: { [TRACEPARENT]: traceparent } }),
            };
          }),
        );
        await markDispatched(
          keyedDb,
          group.flatMap((chunk, index) => {
            const position = positions[index];
            return position === undefined ? [] : [{ ...chunk, ...position }];
          }),
        );
        for (const { channel } of group) dispatchedTotal.inc({ channel, cause });
      }
    },
    backlog,
    async waiting(chunks) {
      const found = new Set<DueChunkWithRecord>();
      for (const group of byTopic(chunks).values()) {
        const [first] = group;
        if (first === undefined) continue;
        const { holds } = await backlog(first.channel, first.lane);
        for (const chunk of group) if (holds(chunk)) found.add(chunk);
      }
      return found;
    },
  };
}

function byTopic<C extends DueChunk>(chunks: readonly C[]): Map<string, C[]> {
  return Map.groupBy(chunks, (chunk) => dispatchTopic(chunk.channel, chunk.lane));
}

function isWaiting(
  { dispatchedPartition, dispatchedOffset }: DueChunkWithRecord,
  committed: ReadonlyMap<number, bigint>,
  offsets: ReadonlyMap<number, TopicOffsets>,
): boolean {
  if (dispatchedPartition === null || dispatchedOffset === null) return false;
  const range = offsets.get(dispatchedPartition);
  if (range === undefined || dispatchedOffset < range.low || dispatchedOffset >= range.high)
    return false;
  return dispatchedOffset >= (committed.get(dispatchedPartition) ?? range.low);
}
