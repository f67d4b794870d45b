import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from './client.ts';

/** A request as its caller knows it, recorded before it is sent. */
export type Attempt = {
  readonly ids: readonly string[];
  readonly sentAt: number;
  status: number;
  answeredAt: number;
  tookMs: number;
  requestId?: string;
};

/** Sends batches of events at a constant rate until stopped, regardless of the responses. */
export function startEventStream(
  client: Client,
  {
    customUserIds,
    intervalMs,
    eventsPerBatch,
  }: {
    readonly customUserIds: readonly string[];
    readonly intervalMs: number;
    readonly eventsPerBatch: number;
  },
) {
  const ledger: Attempt[] = [];
  const underway = new Set<Promise<void>>();
  let isStopped = false;

  const send = async (n: number): Promise<void> => {
    const ids = Array.from({ length: eventsPerBatch }, (_, index) => `stream-${n}-${index}`);
    const attempt: Attempt = {
      ids,
      sentAt: performance.now(),
      status: 0,
      answeredAt: 0,
      tookMs: 0,
    };
    ledger.push(attempt);
    const answer = await client.submit({
      customUserId: customUserIds[n % customUserIds.length],
      messages: ids.map((id, index) => ({
        type: 'action',
        id,
        time: Date.now() + index,
        customName: 'item_viewed',
        attributes: { n, index },
      })),
    });
    attempt.status = answer.status;
    attempt.answeredAt = performance.now();
    attempt.tookMs = answer.tookMs;
    if (answer.status === 200) attempt.requestId = answer.body.requestId;
  };

  const running = (async () => {
    for (let n = 0; !isStopped; n += 1) {
      const call = send(n).finally(() => underway.delete(call));
      underway.add(call);
      await delay(intervalMs);
    }
    await Promise.all(underway);
  })();

  return {
    ledger,
    async stop() {
      isStopped = true;
      await running;
    },
  };
}
