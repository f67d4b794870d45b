import type { Batch, BusRecord } from '@tidings/bus';
import type { ChunkPointer, Lane } from '@tidings/contracts';
import { isUuid } from '@tidings/platform';
import { sendChunk, type SenderDependencies } from './send-chunk.ts';

const HEARTBEAT_INTERVAL_MS = 1_000;

/**
 * Chunks of one partition that are at work together. In the express lane a chunk that is slow holds up none behind it;
 * in bulk two applications are nearly always at work, so that they share the slots.
 */
const CHUNKS_AT_A_TIME = { express: 8, bulk: 2 } as const satisfies Record<Lane, number>;

/** A pointer's offset is held until its chunk and all before it are done, so that lag is the backlog. */
export async function handlePointers(deps: SenderDependencies, batch: Batch, lane: Lane): Promise<void> {
  const { records } = batch;
  const isDone = records.map(() => false);
  let next = 0;
  let resolved = 0;
  let isFailed = false;
  const takeTurns = async (): Promise<void> => {
    while (next < records.length && !isFailed) {
      const index = next;
      next += 1;
      const record = records[index];
      if (record !== undefined) await handlePointer(deps, record, batch.signal);
      isDone[index] = true;
      while (isDone[resolved] === true) resolved += 1;
      const last = records[resolved - 1];
      if (last !== undefined) await batch.resolve(last.offset);
    }
  };
  const turns = Array.from({ length: Math.min(CHUNKS_AT_A_TIME[lane], records.length) }, () =>
    takeTurns().catch((error: unknown) => {
      isFailed = true;
      throw error;
    }),
  );
  // What was begun is seen through, whatever became of another chunk.
  const results = await withHeartbeat(batch, () => Promise.allSettled(turns));
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function handlePointer(deps: SenderDependencies, { topic, partition, offset, value }: BusRecord, signal: AbortSignal): Promise<void> {
  const pointer = readPointer(value);
  if (pointer === null) deps.logger.error({ topic, offset: offset.toString() }, 'unreadable chunk pointer passed over');
  else await sendChunk(deps, { ...pointer, readFrom: { partition, offset } }, signal);
}

/** Null for what is none: the rows are in the table, where the sweep finds them. */
function readPointer(value: Buffer): ChunkPointer | null {
  try {
    const { campaignId, chunkNo } = JSON.parse(value.toString('utf8')) as Partial<ChunkPointer>;
    if (typeof campaignId !== 'string' || !isUuid(campaignId)) return null;
    return typeof chunkNo === 'number' && Number.isInteger(chunkNo) && chunkNo >= 0 && chunkNo < 2 ** 31 ? { campaignId, chunkNo } : null;
  } catch {
    return null;
  }
}

/** Every step of the work has a bound of its own, so a worker that hangs does not hide behind its heartbeat. */
async function withHeartbeat<T>(batch: Batch, work: () => Promise<T>): Promise<T> {
  // A lost generation aborts the signal, which ends the work; its error is the handler's.
  const beating = setInterval(() => void batch.heartbeat().catch(() => undefined), HEARTBEAT_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(beating);
  }
}
