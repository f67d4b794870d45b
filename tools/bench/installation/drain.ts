import { setTimeout as delay } from 'node:timers/promises';
import type { IngestLag } from './ingest-lag.ts';

const POLL_MS = 200;

/** Waits until the consumers have caught up, at most this long; returns the remaining lag. */
export async function drainBacklog(lag: IngestLag, withinMs: number): Promise<number> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const left = await lag.read();
    if (left === 0 || performance.now() > deadline) return left;
    await delay(POLL_MS);
  }
}
