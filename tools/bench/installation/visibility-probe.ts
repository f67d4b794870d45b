import type { IngestAccepted } from '@tidings/contracts/ingest/ingest';
import type { Database } from '@tidings/postgres/database';
import { createHistogram } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Target } from '../load/plan.ts';

export type Visibility = {
  readonly seen: number;
  /** Accepted, but not readable when the wait ended. */
  readonly unseen: number;
  /** Not accepted. */
  readonly refused: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

const PROBE_EVERY_MS = 100;
/** Adds half of this to the measured times on average. */
const LOOK_EVERY_MS = 10;
const WAIT_MAX_MS = 30_000;

/** Sends single events during the load and measures the time until their rows can be read. */
export async function probeVisibility(
  db: Database,
  target: Target,
  forMs: number,
): Promise<Visibility> {
  const sentAt = new Map<string, number>();
  const underway = new Set<Promise<void>>();
  const latency = createHistogram();
  let refused = 0;

  const startedAt = performance.now();
  const probe = async (number: number): Promise<void> => {
    const dueAt = performance.now();
    const requestId = await submit(target, `${target.idPrefix}-probe-${number}`);
    if (requestId === undefined) refused += 1;
    else sentAt.set(requestId, dueAt);
  };
  const look = async (): Promise<void> => {
    const { rows } = await db.sql.query<{ request_id: string }>(
      'select request_id from events where request_id = any($1::uuid[])',
      [[...sentAt.keys()]],
    );
    for (const { request_id: requestId } of rows) {
      latency.record(Math.max(1, Math.round(performance.now() - (sentAt.get(requestId) ?? 0))));
      sentAt.delete(requestId);
    }
  };

  let probes = 0;
  for (;;) {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs < forMs && elapsedMs >= probes * PROBE_EVERY_MS) {
      const sending = probe((probes += 1)).finally(() => underway.delete(sending));
      underway.add(sending);
    }
    if (sentAt.size > 0) await look();
    else if (elapsedMs >= forMs && underway.size === 0) break;
    if (elapsedMs > forMs + WAIT_MAX_MS) break;
    await delay(LOOK_EVERY_MS);
  }
  const seen = latency.count;
  // They took at least this long; omitting them would improve the figures.
  for (const dueAt of sentAt.values()) latency.record(Math.round(performance.now() - dueAt));
  return {
    seen,
    unseen: sentAt.size,
    refused,
    p50Ms: latency.percentile(50),
    p99Ms: latency.percentile(99),
    maxMs: latency.max,
  };
}

/** The request id if accepted; a broken connection counts as not accepted. */
async function submit({ host, port, headers }: Target, id: string): Promise<string | undefined> {
  const body = JSON.stringify({
    customUserId: 'user-00000000',
    messages: [{ type: 'action', id, time: Date.now(), customName: 'probe_sent' }],
  });
  try {
    const answer = await fetch(`http://${host}:${port}/`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
    const text = await answer.text();
    return answer.ok ? (JSON.parse(text) as IngestAccepted).requestId : undefined;
  } catch {
    return undefined; // Counted as refused.
  }
}
