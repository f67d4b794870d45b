import { TOPICS } from '@tidings/contracts';
import type { Bus } from '@tidings/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { CONSUMERS } from '../rig.ts';

/** By partition: the offset a group goes on from, and where the topic ends. */
type Position = { readonly committed: bigint; readonly end: bigint };

const POLL_MS = 250;

export async function positionsOf(bus: Bus, group: string): Promise<ReadonlyMap<number, Position>> {
  const [ends, committed] = await Promise.all([bus.admin.topicOffsets(TOPICS.ingest), bus.admin.committedOffsets(group, TOPICS.ingest)]);
  return new Map([...ends].map(([partition, { low, high }]) => [partition, { committed: committed.get(partition) ?? low, end: high }]));
}

/** How long the consumers took to have read everything that is on the topic now; null when they did not within the time. */
export async function untilRead(bus: Bus, withinMs: number): Promise<number | null> {
  const startedAt = performance.now();
  let ends: ReadonlyMap<number, bigint> | undefined;
  while (performance.now() - startedAt < withinMs) {
    try {
      ends ??= new Map([...(await bus.admin.topicOffsets(TOPICS.ingest))].map(([partition, { high }]) => [partition, high]));
      if (await haveRead(bus, ends)) return performance.now() - startedAt;
    } catch {
      // Kafka may just have come back.
    }
    await delay(POLL_MS);
  }
  return null;
}

async function haveRead(bus: Bus, ends: ReadonlyMap<number, bigint>): Promise<boolean> {
  const groups = await Promise.all(CONSUMERS.map((group) => positionsOf(bus, group)));
  return groups.every((positions) => [...positions].every(([partition, { committed }]) => committed >= (ends.get(partition) ?? 0n)));
}

export type ProgressWatch = { stop(): Promise<{ readonly longestStandstillMs: number; readonly where: string }> };

/** Watches every partition of both groups: how long one with records to read stood still at most. */
export function watchProgress(bus: Bus): ProgressWatch {
  const movedAt = new Map<string, { committed: bigint; at: number }>();
  const stopping = new AbortController();
  let longest = { longestStandstillMs: 0, where: '' };

  async function look(): Promise<void> {
    for (const group of CONSUMERS) {
      for (const [partition, { committed, end }] of await positionsOf(bus, group)) {
        const where = `${group}/${partition}`;
        const now = performance.now();
        const last = movedAt.get(where);
        if (last === undefined || committed > last.committed || committed >= end) movedAt.set(where, { committed, at: now });
        else if (now - last.at > longest.longestStandstillMs) longest = { longestStandstillMs: now - last.at, where };
      }
    }
  }
  const running = (async () => {
    while (!stopping.signal.aborted) {
      // A question that failed is asked again.
      await look().catch(() => undefined);
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
      return longest;
    },
  };
}
