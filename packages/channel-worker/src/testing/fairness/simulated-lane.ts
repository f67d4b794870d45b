import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { RecordBatch, BusRecord } from '@tidings/bus';
import type { Lane } from '@tidings/contracts/channels/channels';
import type { DispatchRecord } from '@tidings/contracts/ingest/records';
import { createFakeClock, createRecordingLogger, type FakeClock } from '@tidings/testing';
import { createAccount, type Account, type Ticket } from '../../accounts/accounts.ts';
import { createBreaker } from '../../accounts/breaker.ts';
import { processDueRows, type HandleClaimed, type ChunkToSend } from '../../chunk-statements.ts';
import { handleDispatchRecords, type DispatchDependencies } from '../../handle-dispatch-records.ts';
import { createSendSlots } from '../../send-slots.ts';
import { createDetachedChunks } from '../../detached-chunks.ts';
import {
  CAMPAIGN_ID,
  createSimulatedChunks,
  type Sender,
  type SimulatedChunks,
} from './simulated-chunks.ts';

export type LaneOptions = {
  readonly lane: Lane;
  readonly senders: readonly Sender[];
  readonly concurrency: number;
  readonly forMs: number;
};

/** By application: how long each delivery waited until it was sent. */
export type LaneReport = { readonly waitsMs: ReadonlyMap<string, readonly number[]> };

const PARTITIONS = 3;
const STEP_MS = 10;
/** Sweep interval. */
const SWEEP_MS = 500;
const SLOT_WAIT_MS = 20_000;
const DETACH_AFTER_MS = 15;

/**
 * A worker from the topic to its slots, with a clock that only advances between steps. Round-robin,
 * detached chunks, claims, accounts and slots are real; tables and sends are simulated.
 */
export async function simulateLane({
  lane,
  senders,
  concurrency,
  forMs,
}: LaneOptions): Promise<LaneReport> {
  const clock = createFakeClock();
  const chunks = createSimulatedChunks(clock);
  const waitsMs = new Map(senders.map(({ applicationId }) => [applicationId, [] as number[]]));
  const onSend = (chunkNo: number): void => {
    const { sender, madeAt } = chunks.get(chunkNo);
    waitsMs.get(sender.applicationId)?.push(clock.monotonicMs() - madeAt);
  };
  const topic = createTopic(
    lane,
    chunks,
    createWorker(clock, { lane, chunks, concurrency, onSend }),
  );
  for (let now = 0; now < forMs; now += STEP_MS) {
    for (const sender of senders.filter(
      ({ fromMs = 0, untilMs = Infinity }) => now >= fromMs && now < untilMs,
    )) {
      const made = (at: number): number => Math.floor((at * sender.perSecond) / 1_000);
      for (let count = made(now) - made(now - STEP_MS); count > 0; count -= 1)
        topic.dispatch(chunks.add(sender));
    }
    if (now % SWEEP_MS === 0) for (const chunkNo of chunks.takeDue()) topic.dispatch(chunkNo);
    topic.read();
    for (let turns = 0; turns < 3; turns += 1) await turnOfTheLoop();
    clock.advance(STEP_MS);
  }
  topic.stop();
  return { waitsMs };
}

type WorkerOptions = {
  readonly lane: Lane;
  readonly chunks: SimulatedChunks;
  readonly concurrency: number;
  readonly onSend: (chunkNo: number) => void;
};

function createWorker(
  clock: FakeClock,
  { lane, chunks, concurrency, onSend }: WorkerOptions,
): DispatchDependencies {
  const slots = createSendSlots(concurrency, clock);
  const accounts = new Map<string, Account>();
  const accountOf = (applicationId: string): Account => {
    const account =
      accounts.get(applicationId) ??
      createAccount({
        channel: 'WEB_HOOK',
        applicationId,
        version: 1,
        breaker: createBreaker({ clock }),
        slots,
        clock,
      });
    accounts.set(applicationId, account);
    return account;
  };

  async function send(chunkNo: number, sendMs: number, ticket: Ticket): Promise<void> {
    onSend(chunkNo);
    await new Promise<void>((resolve) => void clock.after(sendMs, resolve));
    ticket.observe({ status: 'sent' }, sendMs);
    ticket.release();
  }

  /** As a chunk is sent, without preparing, marking and recording. */
  const sendClaimed =
    ({ chunkNo }: ChunkToSend, signal: AbortSignal): HandleClaimed =>
    async (claimed, onHeldUp) => {
      const { applicationId, sendMs } = chunks.get(chunkNo).sender;
      const queue = [...claimed];
      const underway: Promise<void>[] = [];
      while (queue.length > 0) {
        const decision = await accountOf(applicationId).allowSends(queue.length, {
          lane,
          rateLimiter: null,
          isTest: false,
          timeoutMs: SLOT_WAIT_MS,
          onWait: onHeldUp,
          signal,
        });
        if ('delaysMs' in decision) {
          chunks.release(chunkNo, queue, Number(decision.delaysMs));
          onHeldUp();
          break;
        }
        const group = queue.splice(0, decision.slots);
        chunks.markSent(chunkNo, group);
        underway.push(...group.map(() => send(chunkNo, sendMs, decision.ticket)));
      }
      await Promise.all(underway);
      return queue.length === 0;
    };

  return {
    clock,
    logger: createRecordingLogger().logger,
    async handleChunk(chunkToSend: ChunkToSend, signal) {
      const campaign = chunks.campaignOf(chunkToSend.chunkNo, lane);
      const putOffMs = slots.putOffMs(campaign);
      if (putOffMs > 0) return chunks.putOff(chunkToSend.chunkNo, putOffMs);
      await processDueRows(
        { statements: { express: chunks.statements, bulk: chunks.statements } },
        { campaign, chunkToSend, handle: sendClaimed(chunkToSend, signal) },
        signal,
      );
    },
    detachedChunks: createDetachedChunks({
      afterMs: DETACH_AFTER_MS,
      max: concurrency * 3,
      ownedMax: concurrency * 2,
      timers: clock,
      onError: () => undefined,
    }),
  };
}

/** Partitions that are read in record batches: the next one is read when the one before it is done. */
function createTopic(lane: Lane, chunks: SimulatedChunks, deps: DispatchDependencies) {
  const stopping = new AbortController();
  const unread: (BusRecord & { readonly chunkNo: number })[][] = Array.from(
    { length: PARTITIONS },
    () => [],
  );
  const isBusy = unread.map(() => false);
  let count = 0;
  return {
    stop: () => stopping.abort(new Error('the simulation ends')),
    dispatch(chunkNo: number) {
      const record: DispatchRecord = {
        campaignId: CAMPAIGN_ID,
        chunkNo,
        applicationId: chunks.get(chunkNo).sender.applicationId,
      };
      const partition = (count += 1) % PARTITIONS;
      unread[partition]?.push({
        topic: lane,
        partition,
        offset: BigInt(count),
        key: null,
        value: Buffer.from(JSON.stringify(record)),
        headers: {},
        chunkNo,
      });
    },
    read() {
      for (const [partition, waiting] of unread.entries()) {
        if (isBusy[partition] === true || waiting.length === 0) continue;
        isBusy[partition] = true;
        const records = waiting.splice(0);
        const batch: RecordBatch = {
          topic: lane,
          partition,
          records,
          signal: stopping.signal,
          heartbeat: () => Promise.resolve(),
          resolve: () => Promise.resolve(),
        };
        void handleDispatchRecords(deps, batch, lane)
          .catch(() => undefined)
          .finally(() => {
            isBusy[partition] = false;
            for (const { chunkNo } of records) chunks.get(chunkNo).isDispatched = false;
          });
      }
    },
  };
}
