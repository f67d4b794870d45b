import { TOPICS } from '@tidings/contracts/topics';
import type { Bus } from '@tidings/bus';
import { setTimeout as delay } from 'node:timers/promises';
import { CONSUMERS } from '../../rigs/ingest-rig.ts';

/** Per partition: the committed offset of a group, and the end of the topic. */
type Position = { readonly committed: bigint; readonly end: bigint };

const POLL_MS = 250;

export async function readPositions(
  bus: Bus,
  group: string,
): Promise<ReadonlyMap<number, Position>> {
  const [ends, committed] = await Promise.all([
    bus.admin.topicOffsets(TOPICS.ingest),
    bus.admin.committedOffsets(group, TOPICS.ingest),
  ]);
  return new Map(
    [...ends].map(([partition, { low, high }]) => [
      partition,
      { committed: committed.get(partition) ?? low, end: high },
    ]),
  );
}

/**
 * Milliseconds until the consumers had read everything now on the topic; null after the timeout.
 */
export async function untilRead(bus: Bus, withinMs: number): Promise<number | null> {
  const startedAt = performance.now();
  let ends: ReadonlyMap<number, bigint> | undefined;
  while (performance.now() - startedAt < withinMs) {
    try {
      ends ??= new Map(
        [...(await bus.admin.topicOffsets(TOPICS.ingest))].map(([partition, { high }]) => [
          partition,
          high,
        ]),
      );
      if (await haveRead(bus, ends)) return performance.now() - startedAt;
    } catch {
      // Kafka may just have restarted.
    }
    await delay(POLL_MS);
  }
  return null;
}

async function haveRead(bus: Bus, ends: ReadonlyMap<number, bigint>): Promise<boolean> {
  const groups = await Promise.all(CONSUMERS.map((group) => readPositions(bus, group)));
  return groups.every((positions) =>
    [...positions].every(([partition, { committed }]) => committed >= (ends.get(partition) ?? 0n)),
  );
}

export type Progress = {
  /** Longest standstill of a partition with unread records. */
  readonly longestStandstillMs: number;
  readonly where: string;
  /** End of that standstill, or its last sample; from `performance.now()`. */
  readonly endedAt: number;
  /**
   * Smallest ratio of read to arrived records over any window of that length; 1 if there was none.
   */
  readonly smallestShare: number;
};

export type ProgressWatch = { stop(): Promise<Progress> };

const STRETCH_MS = 60_000;

/** Watches every partition of both groups. */
export function watchProgress(bus: Bus, stretchMs = STRETCH_MS): ProgressWatch {
  const movedAt = new Map<string, { committed: bigint; at: number }>();
  const looks = new Map<string, Look[]>();
  const stopping = new AbortController();
  let longest = { longestStandstillMs: 0, where: '', endedAt: 0 };

  async function look(): Promise<void> {
    for (const group of CONSUMERS) {
      const positions = await readPositions(bus, group);
      const sum = (of: (position: Position) => bigint): number =>
        Number([...positions.values()].reduce((total, position) => total + of(position), 0n));
      looks.set(group, [
        ...(looks.get(group) ?? []),
        {
          at: performance.now(),
          read: sum(({ committed }) => committed),
          written: sum(({ end }) => end),
        },
      ]);
      for (const [partition, { committed, end }] of positions) {
        const where = `${group}/${partition}`;
        const now = performance.now();
        const last = movedAt.get(where);
        if (last === undefined || committed > last.committed || committed >= end)
          movedAt.set(where, { committed, at: now });
        else if (now - last.at > longest.longestStandstillMs)
          longest = { longestStandstillMs: now - last.at, where, endedAt: now };
      }
    }
  }
  const running = (async () => {
    while (!stopping.signal.aborted) {
      // A failed sample is retried.
      await look().catch(() => undefined);
      await delay(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      stopping.abort();
      await running;
      return {
        ...longest,
        smallestShare: Math.min(
          1,
          ...[...looks.values()].map((list) => computeSmallestShare(list, stretchMs)),
        ),
      };
    },
  };
}

type Look = { readonly at: number; readonly read: number; readonly written: number };

/** Smallest ratio of read to arrived records over all windows of that length. */
export function computeSmallestShare(looks: readonly Look[], stretchMs: number): number {
  let smallest = 1;
  let from = 0;
  for (const look of looks) {
    let start = looks[from];
    for (
      let next = looks[from + 1];
      next !== undefined && look.at - next.at >= stretchMs;
      next = looks[from + 1]
    ) {
      start = next;
      from += 1;
    }
    if (start === undefined || look.at - start.at < stretchMs || look.written === start.written)
      continue;
    smallest = Math.min(smallest, (look.read - start.read) / (look.written - start.written));
  }
  return smallest;
}
