import type { Batch } from '@tidings/bus';
import type { ChunkPointer } from '@tidings/contracts';
import { isUuid } from '@tidings/platform';
import { sendChunk, type SenderDependencies } from './send-chunk.ts';

const HEARTBEAT_INTERVAL_MS = 1_000;

/** One pointer after another: a pointer's offset is held until its chunk is done, so that lag is the backlog. */
export async function handlePointers(deps: SenderDependencies, batch: Batch): Promise<void> {
  for (const record of batch.records) {
    const pointer = readPointer(record.value);
    if (pointer === null) deps.logger.error({ topic: record.topic, offset: record.offset.toString() }, 'unreadable chunk pointer passed over');
    else await withHeartbeat(batch, () => sendChunk(deps, pointer, batch.signal));
    await batch.resolve(record.offset);
  }
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
async function withHeartbeat(batch: Batch, work: () => Promise<void>): Promise<void> {
  // A lost generation aborts the signal, which ends the work; its error is the handler's.
  const beating = setInterval(() => void batch.heartbeat().catch(() => undefined), HEARTBEAT_INTERVAL_MS);
  try {
    await work();
  } finally {
    clearInterval(beating);
  }
}
