import { traceparentOf, type Batch, type BusRecord } from '@tidings/bus';
import type { ChunkPointer, Lane } from '@tidings/contracts';
import { inSpanBelow, isUuid, type Clock, type Logger } from '@tidings/platform';
import type { PlacedPointer } from './due-rows.ts';
import type { Stragglers } from './stragglers.ts';

const HEARTBEAT_INTERVAL_MS = 1_000;
/** Chunks of one may be done by the hundred in a second: not each is a request of its own to Kafka. */
const COMMIT_INTERVAL_MS = 100;

/**
 * Chunks of one partition that are at work together. In the express lane they are mostly of one recipient, and those at
 * work together share statements; in bulk two applications are nearly always at work, so that they share the slots.
 */
const CHUNKS_AT_A_TIME = { express: 16, bulk: 2 } as const satisfies Record<Lane, number>;

export type PointerDependencies = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves when every row of the chunk is settled, scheduled or another worker's; throws the signal's reason when it aborts. */
  readonly handleChunk: (placed: PlacedPointer, signal: AbortSignal) => Promise<void>;
  /** Chunks of the express lane whose sends take long: those behind them are not to wait. */
  readonly stragglers: Pick<Stragglers, 'waitFor'>;
};

/** A pointer's offset is held until its chunk and all before it are done or left behind, so that lag is the backlog. */
export async function handlePointers(deps: PointerDependencies, batch: Batch, lane: Lane): Promise<void> {
  const { records } = batch;
  const isDone = records.map(() => false);
  let next = 0;
  let isFailed = false;
  const commit = createCommit(deps, batch, isDone);
  const takeTurns = async (): Promise<void> => {
    while (next < records.length && !isFailed) {
      const index = next;
      next += 1;
      const record = records[index];
      if (record !== undefined) await handlePointer(deps, { record, lane }, batch.signal);
      isDone[index] = true;
      await commit.soon();
    }
  };
  const turns = Array.from({ length: Math.min(CHUNKS_AT_A_TIME[lane], records.length) }, () =>
    takeTurns().catch((error: unknown) => {
      isFailed = true;
      throw error;
    }),
  );
  // What was begun is seen through, whatever became of another chunk.
  const results = await withHeartbeat(
    () => Promise.all([batch.heartbeat(), commit.now()]),
    () => Promise.allSettled(turns),
  );
  const failed = results.find((result) => result.status === 'rejected');
  if (failed === undefined) return;
  // What is done is not done again. If it cannot be committed now, it is, and finds nothing to do.
  await commit.now().catch(() => undefined);
  throw failed.reason;
}

/** Commits what is done without a gap; the last of it is committed when the batch ends. */
function createCommit({ clock }: PointerDependencies, { records, resolve }: Batch, isDone: readonly boolean[]): { soon(): Promise<void>; now(): Promise<void> } {
  let resolved = 0;
  let committed = 0;
  let committedAt = clock.monotonicMs();
  const now = async (): Promise<void> => {
    while (isDone[resolved] === true) resolved += 1;
    const last = records[resolved - 1];
    if (last === undefined || resolved === committed) return;
    committed = resolved;
    committedAt = clock.monotonicMs();
    await resolve(last.offset);
  };
  return { now, soon: () => (clock.monotonicMs() - committedAt < COMMIT_INTERVAL_MS ? Promise.resolve() : now()) };
}

async function handlePointer(
  deps: PointerDependencies,
  { record, lane }: { readonly record: BusRecord; readonly lane: Lane },
  signal: AbortSignal,
): Promise<void> {
  const { topic, partition, offset, value } = record;
  const pointer = readPointer(value);
  if (pointer === null) {
    deps.logger.error({ topic, offset: offset.toString() }, 'unreadable chunk pointer passed over');
    return;
  }
  // With rows left to claim it would be announced again and again while it is at work.
  const { promise: isAllClaimed, resolve: onAllClaimed } = Promise.withResolvers<void>();
  const working = inSpanBelow(traceparentOf(record), { name: 'send chunk', attributes: { 'tidings.campaign_id': pointer.campaignId, 'tidings.chunk_no': pointer.chunkNo } }, () =>
    deps.handleChunk({ ...pointer, readFrom: { partition, offset }, onAllClaimed }, signal),
  );
  await (lane === 'express' ? deps.stragglers.waitFor(working, { isReady: isAllClaimed, signal }) : working);
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
async function withHeartbeat<T>(beat: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  // A lost generation aborts the signal, which ends the work; its error is the handler's.
  const beating = setInterval(() => void beat().catch(() => undefined), HEARTBEAT_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(beating);
  }
}
