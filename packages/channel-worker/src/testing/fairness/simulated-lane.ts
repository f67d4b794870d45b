import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { Batch, BusRecord } from '@tidings/bus';
import type { DispatchRecord, Lane } from '@tidings/contracts';
import { createFakeClock, createRecordingLogger, type FakeClock } from '@tidings/testing';
import type { PlacedPointer } from '../../due-rows.ts';
import { handlePointers, type PointerDependencies } from '../../handle-pointers.ts';
import { createSendSlots } from '../../send-slots.ts';
import { createStragglers } from '../../stragglers.ts';

/** Where chunks of one delivery come from: so many a second, each sent in so many milliseconds. */
export type Sender = { readonly applicationId: string; readonly perSecond: number; readonly sendMs: number };

export type LaneOptions = { readonly lane: Lane; readonly senders: readonly Sender[]; readonly concurrency: number; readonly forMs: number };

/** By application: how long each delivery waited until it was sent, and how many wait at the end. */
export type LaneReport = { readonly waitsMs: ReadonlyMap<string, readonly number[]>; readonly open: ReadonlyMap<string, number> };

const PARTITIONS = 3;
const STEP_MS = 10;
/** As often as a sweep looks for chunks that are due. */
const SWEEP_MS = 500;
const SLOT_WAIT_MS = 20_000;
const STRAGGLING_AFTER_MS = 15;

type Chunk = Sender & { readonly madeAt: number };

/** A worker's way from the topic to its slots, with the real turns, stragglers and slots, on a clock that stands still between steps. */
export async function simulateLane({ lane, senders, concurrency, forMs }: LaneOptions): Promise<LaneReport> {
  const clock = createFakeClock();
  const chunks: Chunk[] = [];
  const waitsMs = new Map(senders.map(({ applicationId }) => [applicationId, [] as number[]]));
  const open = new Map(senders.map(({ applicationId }) => [applicationId, 0]));
  const topic = createTopic(lane, createDependencies(clock, { concurrency, send }));
  let due: { readonly at: number; readonly chunkNo: number }[] = [];

  async function send({ chunkNo }: PlacedPointer, slots: ReturnType<typeof createSendSlots>): Promise<void> {
    const chunk = chunks[chunkNo];
    if (chunk === undefined) return;
    const owner = { lane, applicationId: chunk.applicationId };
    const putOff = (ms: number): void => void due.push({ at: clock.monotonicMs() + ms, chunkNo });
    const putOffMs = slots.putOffMs(owner);
    if (putOffMs > 0) return putOff(putOffMs);
    if ((await slots.take(1, { ...owner, timeoutMs: SLOT_WAIT_MS, signal: topic.signal })) === 0) return putOff(slots.queueMs(owner));
    waitsMs.get(chunk.applicationId)?.push(clock.monotonicMs() - chunk.madeAt);
    open.set(chunk.applicationId, (open.get(chunk.applicationId) ?? 0) - 1);
    await new Promise<void>((resolve) => void clock.after(chunk.sendMs, resolve));
    slots.learn(chunk.applicationId, chunk.sendMs);
    slots.release(owner);
  }

  const announce = (chunkNo: number): void => topic.announce(chunkNo, { ...chunks[chunkNo] }.applicationId);
  for (let now = 0; now < forMs; now += STEP_MS) {
    for (const sender of senders) {
      const made = (at: number): number => Math.floor((at * sender.perSecond) / 1_000);
      for (let count = made(now) - made(now - STEP_MS); count > 0; count -= 1) {
        chunks.push({ ...sender, madeAt: now });
        open.set(sender.applicationId, (open.get(sender.applicationId) ?? 0) + 1);
        announce(chunks.length - 1);
      }
    }
    if (now % SWEEP_MS === 0) {
      for (const { at, chunkNo } of due) if (at <= now) announce(chunkNo);
      due = due.filter(({ at }) => at > now);
    }
    topic.read();
    for (let turns = 0; turns < 3; turns += 1) await turnOfTheLoop();
    clock.advance(STEP_MS);
  }
  topic.stop();
  return { waitsMs, open };
}

type Dependencies = { readonly concurrency: number; send(placed: PlacedPointer, slots: ReturnType<typeof createSendSlots>): Promise<void> };

function createDependencies(clock: FakeClock, { concurrency, send }: Dependencies): PointerDependencies {
  const slots = createSendSlots(concurrency, clock);
  return {
    clock,
    logger: createRecordingLogger().logger,
    async handleChunk(placed) {
      placed.onAllClaimed?.();
      await send(placed, slots);
    },
    stragglers: createStragglers({ afterMs: STRAGGLING_AFTER_MS, max: concurrency * 3, ownedMax: concurrency * 2, timers: clock, onError: () => undefined }),
  };
}

/** Partitions that are read in batches: the next batch of one is read when the one before it is done. */
function createTopic(lane: Lane, deps: PointerDependencies) {
  const stopping = new AbortController();
  const unread: BusRecord[][] = Array.from({ length: PARTITIONS }, () => []);
  const isBusy = unread.map(() => false);
  let count = 0;
  return {
    signal: stopping.signal,
    stop: () => stopping.abort(new Error('the simulation ends')),
    announce(chunkNo: number, applicationId: string | undefined) {
      const record: DispatchRecord = { campaignId: '00000000-0000-7000-8000-000000000000', chunkNo, ...(applicationId !== undefined && { applicationId }) };
      const partition = (count += 1) % PARTITIONS;
      unread[partition]?.push({ topic: lane, partition, offset: BigInt(count), key: null, value: Buffer.from(JSON.stringify(record)), headers: {} });
    },
    read() {
      for (const [partition, records] of unread.entries()) {
        if (isBusy[partition] === true || records.length === 0) continue;
        isBusy[partition] = true;
        const batch: Batch = { topic: lane, partition, records: records.splice(0), signal: stopping.signal, heartbeat: () => Promise.resolve(), resolve: () => Promise.resolve() };
        void handlePointers(deps, batch, lane).finally(() => (isBusy[partition] = false));
      }
    },
  };
}
