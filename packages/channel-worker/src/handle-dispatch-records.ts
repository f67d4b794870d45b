import { traceparentOf, type Batch, type Bus, type BusRecord, type Consumer } from '@tidings/bus';
import {
  dispatchTopic,
  LANES,
  workerName,
  type Channel,
  type DispatchRecord,
  type Lane,
} from '@tidings/contracts';
import { inChildSpan, isUuid, type Clock, type Logger } from '@tidings/platform';
import type { DispatchedChunk } from './chunk-statements.ts';
import type { SlowChunks } from './slow-chunks.ts';
import { createRoundRobin, handleRoundRobin, type RoundRobinOptions } from './round-robin.ts';

const HEARTBEAT_INTERVAL_MS = 1_000;
/** Chunks of one may be done by the hundred in a second: not each is a request of its own to Kafka. */
const COMMIT_INTERVAL_MS = 100;

/**
 * Chunks of one partition that are at work together, and how many of them may be of one application while chunks of
 * another wait in the batch. In the express lane chunks are mostly of one recipient, and those at work together share
 * statements; in bulk two applications are nearly always at work, so that they share the slots.
 */
const ROUND_ROBIN = {
  express: { max: 16, ownedMax: 5 },
  bulk: { max: 2, ownedMax: 1 },
} as const satisfies Record<Lane, RoundRobinOptions>;

export type DispatchDependencies = {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves when every row of the chunk is settled, scheduled or another worker's; throws the signal's reason when it aborts. */
  readonly handleChunk: (placed: DispatchedChunk, signal: AbortSignal) => Promise<void>;
  /** Chunks of the express lane whose sends take long: those behind them are not to wait. */
  readonly slowChunks: Pick<SlowChunks, 'waitFor'>;
};

/** A pointer's offset is held until its chunk and all before it are done or left behind, so that lag is the backlog. */
export async function handleDispatchRecords(
  deps: DispatchDependencies,
  batch: Batch,
  lane: Lane,
): Promise<void> {
  const { records } = batch;
  const dispatches = records.map(({ value }) => readDispatchRecord(value));
  const isDone = records.map(() => false);
  const commit = createCommit(deps, batch, isDone);
  const handle = async (index: number): Promise<void> => {
    const record = records[index];
    const pointer = dispatches[index] ?? null;
    if (record !== undefined)
      await handleDispatchRecord(deps, { record, pointer, lane }, batch.signal);
    isDone[index] = true;
    await commit.soon();
  };
  try {
    // What was begun is seen through, whatever became of another chunk.
    await withHeartbeat(
      () => Promise.all([batch.heartbeat(), commit.now()]),
      () => handleRoundRobin(createRoundRobin(dispatches.map(ownerOf), ROUND_ROBIN[lane]), handle),
    );
  } catch (error) {
    // What is done is not done again. If it cannot be committed now, it is, and finds nothing to do.
    await commit.now().catch(() => undefined);
    throw error;
  }
}

/** Without an application, as in records of older versions, each campaign has turns of its own. */
function ownerOf(pointer: DispatchRecord | null): string {
  return pointer?.applicationId ?? pointer?.campaignId ?? '';
}

/** Commits what is done without a gap; the last of it is committed when the batch ends. */
function createCommit(
  { clock }: DispatchDependencies,
  { records, resolve }: Batch,
  isDone: readonly boolean[],
): { soon(): Promise<void>; now(): Promise<void> } {
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
  return {
    now,
    soon: () =>
      clock.monotonicMs() - committedAt < COMMIT_INTERVAL_MS ? Promise.resolve() : now(),
  };
}

type ReadRecord = {
  readonly record: BusRecord;
  readonly pointer: DispatchRecord | null;
  readonly lane: Lane;
};

async function handleDispatchRecord(
  deps: DispatchDependencies,
  { record, pointer, lane }: ReadRecord,
  signal: AbortSignal,
): Promise<void> {
  const { topic, partition, offset } = record;
  if (pointer === null) {
    deps.logger.error({ topic, offset: offset.toString() }, 'unreadable chunk pointer passed over');
    return;
  }
  const { campaignId, chunkNo } = pointer;
  // With rows left to claim it would be announced again and again while it is at work.
  const { promise: isAllClaimed, resolve: onAllClaimed } = Promise.withResolvers<void>();
  const working = inChildSpan(
    traceparentOf(record),
    {
      name: 'send chunk',
      attributes: { 'tidings.campaign_id': campaignId, 'tidings.chunk_no': chunkNo },
    },
    () =>
      deps.handleChunk(
        { campaignId, chunkNo, readFrom: { partition, offset }, onAllClaimed },
        signal,
      ),
  );
  await (lane === 'express'
    ? deps.slowChunks.waitFor(working, { owner: ownerOf(pointer), isReady: isAllClaimed, signal })
    : working);
}

/** Null for what is none: the rows are in the table, where the sweep finds them. */
function readDispatchRecord(value: Buffer): DispatchRecord | null {
  try {
    const { campaignId, chunkNo, applicationId } = JSON.parse(
      value.toString('utf8'),
    ) as Partial<DispatchRecord>;
    if (typeof campaignId !== 'string' || !isUuid(campaignId)) return null;
    if (
      typeof chunkNo !== 'number' ||
      !Number.isInteger(chunkNo) ||
      chunkNo < 0 ||
      chunkNo >= 2 ** 31
    )
      return null;
    return { campaignId, chunkNo, ...(typeof applicationId === 'string' && { applicationId }) };
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

/**
 * The next read waits so long for a batch; a batch that takes longer has its partition left out of reads until it ends, and
 * what comes there meanwhile waits for the read after. Those of the express lane end in time, since they leave slowChunks
 * behind; those of bulk take as long as their provider, and no read is to wait for them.
 */
const DETACH_AFTER_MS = { express: 250, bulk: 0 } as const satisfies Record<Lane, number>;

/** Works on the chunks of a channel that are announced, in both lanes. */
export function consumeDispatchRecords(
  bus: Bus,
  channel: Channel,
  deps: DispatchDependencies,
): Promise<Consumer> {
  const expressTopic = dispatchTopic(channel, 'express');
  const laneOf = (topic: string): Lane => (topic === expressTopic ? 'express' : 'bulk');
  return bus.consume({
    group: workerName(channel),
    topics: LANES.map((lane) => dispatchTopic(channel, lane)),
    partitionsConcurrently: 6,
    detachAfterMs: (topic) => DETACH_AFTER_MS[laneOf(topic)],
    handleBatch: (batch) => handleDispatchRecords(deps, batch, laneOf(batch.topic)),
  });
}
