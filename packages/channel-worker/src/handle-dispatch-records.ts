import {
  readTraceparent,
  type RecordBatch,
  type Bus,
  type BusRecord,
  type Consumer,
} from '@tidings/bus';
import { LANES, type Channel, type Lane } from '@tidings/contracts/channels/channels';
import type { DispatchRecord } from '@tidings/contracts/ingest/records';
import { dispatchTopic, workerName } from '@tidings/contracts/topics';
import { inChildSpan, isUuid, type Clock, type Logger } from '@tidings/platform';
import type { ChunkToSend } from './chunk-statements.ts';
import type { DetachedChunks } from './detached-chunks.ts';
import { createRoundRobin, handleRoundRobin, type RoundRobinOptions } from './round-robin.ts';

const HEARTBEAT_INTERVAL_MS = 1_000;
/** Limits Kafka commits: a partition can finish hundreds of chunks per second. */
const COMMIT_INTERVAL_MS = 100;

/**
 * Chunks of one partition processed at a time (`max`), and how many of one application while others
 * wait (`ownedMax`). Express chunks usually have one recipient and share statements. In bulk, two
 * applications usually share the slots.
 */
const ROUND_ROBIN = {
  express: { max: 16, ownedMax: 5 },
  bulk: { max: 2, ownedMax: 1 },
} as const satisfies Record<Lane, RoundRobinOptions>;

export type DispatchDependencies = {
  readonly clock: Clock;
  readonly logger: Logger;
  /**
   * Resolves when every row of the chunk is settled, scheduled or claimed by another worker.
   * Rejects with the signal's reason on abort.
   */
  readonly handleChunk: (chunkToSend: ChunkToSend, signal: AbortSignal) => Promise<void>;
  /** Detaches slow express chunks, so that later chunks do not wait for them. */
  readonly detachedChunks: Pick<DetachedChunks, 'waitFor'>;
};

/**
 * Commits an offset only when its chunk and all earlier ones are finished or detached. So consumer
 * lag is the backlog.
 */
export async function handleDispatchRecords(
  deps: DispatchDependencies,
  batch: RecordBatch,
  lane: Lane,
): Promise<void> {
  const { records } = batch;
  const dispatches = records.map(({ value }) => readDispatchRecord(value));
  const isDone = records.map(() => false);
  const commit = createCommit(deps, batch, isDone);
  const handle = async (index: number): Promise<void> => {
    const record = records[index];
    const dispatch = dispatches[index] ?? null;
    if (record !== undefined)
      await handleDispatchRecord(deps, { record, dispatch, lane }, batch.signal);
    isDone[index] = true;
    await commit.soon();
  };
  try {
    // Started chunks are finished even if another chunk fails.
    await withHeartbeat(
      () => Promise.all([batch.heartbeat(), commit.now()]),
      () => handleRoundRobin(createRoundRobin(dispatches.map(ownerOf), ROUND_ROBIN[lane]), handle),
    );
  } catch (error) {
    // Commit finished chunks. If the commit fails, they are read again and have nothing left to do.
    await commit.now().catch(() => undefined);
    throw error;
  }
}

/** Records of older versions have no application id; the campaign id then groups them. */
function ownerOf(dispatch: DispatchRecord | null): string {
  return dispatch?.applicationId ?? dispatch?.campaignId ?? '';
}

/** Commits the longest finished prefix of the record batch. Its end commits the rest. */
function createCommit(
  { clock }: DispatchDependencies,
  { records, resolve }: RecordBatch,
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

type ReceivedDispatch = {
  readonly record: BusRecord;
  readonly dispatch: DispatchRecord | null;
  readonly lane: Lane;
};

async function handleDispatchRecord(
  deps: DispatchDependencies,
  { record, dispatch, lane }: ReceivedDispatch,
  signal: AbortSignal,
): Promise<void> {
  const { topic, partition, offset } = record;
  if (dispatch === null) {
    deps.logger.error({ topic, offset: offset.toString() }, 'invalid dispatch record skipped');
    return;
  }
  const { campaignId, chunkNo } = dispatch;
  // A chunk with unclaimed rows must not be detached: it would be dispatched again while in
  // progress.
  const { promise: isAllClaimed, resolve: onAllClaimed } = Promise.withResolvers<void>();
  const working = inChildSpan(
    readTraceparent(record),
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
    ? deps.detachedChunks.waitFor(working, {
        owner: ownerOf(dispatch),
        isReady: isAllClaimed,
        signal,
      })
    : working);
}

/** Null if the record is invalid. Its rows are in the table, where the sweep finds them. */
function readDispatchRecord(value: Buffer): DispatchRecord | null {
  try {
    const { campaignId, chunkNo, applicationId } = JSON.parse(
      value.toString('utf8'),
    ) as Partial<DispatchRecord>;
    if (typeof campaignId !== 'string' || !isUuid(campaignId)) return null;
    if (typeof chunkNo !== 'number' || !Number.isInteger(chunkNo) || Math.abs(chunkNo) >= 2 ** 31)
      return null;
    return { campaignId, chunkNo, ...(typeof applicationId === 'string' && { applicationId }) };
  } catch {
    return null;
  }
}

/** Every step has its own timeout, so the heartbeat cannot hide a stuck worker. */
async function withHeartbeat<T>(beat: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  // Losing the consumer generation aborts the signal; the handler reports that error.
  const beating = setInterval(() => void beat().catch(() => undefined), HEARTBEAT_INTERVAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(beating);
  }
}

/**
 * How long the next read waits for a record batch. The partition of a slower one is excluded from
 * reads until it ends. In the express lane they end in time because slow chunks are detached. In the
 * bulk lane they take as long as their provider, so reads never wait for them.
 */
const WAIT_FOR_BATCH_MS = { express: 250, bulk: 0 } as const satisfies Record<Lane, number>;

/** Consumes the dispatch records of a channel, from both lanes. */
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
    waitForBatchMs: (topic) => WAIT_FOR_BATCH_MS[laneOf(topic)],
    handleBatch: (batch) => handleDispatchRecords(deps, batch, laneOf(batch.topic)),
  });
}
