import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryRun } from '../../rows/delivery/delivery-row.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import { between } from '../random.ts';
import type { SentPush } from './pushes.ts';

export type PushRate = {
  readonly application: number;
  readonly channel: SentChannel;
  readonly perSecond: number;
  /** Recipients per push; default 1. */
  readonly recipients?: number;
  readonly forMs: number;
};

/** Bounds of the pause between two pushes, relative to the mean. */
const PAUSE = { min: 0.5, max: 1.5 };

/** Sends pushes of one application at a steady rate; resolves when all are accepted. */
export async function pushSteadily(
  run: DeliveryRun,
  pushRate: PushRate,
): Promise<readonly SentPush[]> {
  const { load, pushes, random, ending } = run;
  const { application, channel, perSecond, recipients = 1, forMs } = pushRate;
  const sent: SentPush[] = [];
  const accepted: Promise<void>[] = [];
  const startedAt = performance.now();
  // By due time: a late process sends the pushes that it missed.
  for (
    let dueMs = 0;
    dueMs < forMs;
    dueMs += between(random, PAUSE.min, PAUSE.max) * (1_000 / perSecond)
  ) {
    await delay(Math.max(0, startedAt + dueMs - performance.now()), undefined, { signal: ending });
    const push: SentPush = {
      ...(recipients === 1 ? pushes.one(channel) : pushes.all(channel, recipients)),
      application,
    };
    sent.push(push);
    accepted.push(load.send(push));
  }
  await Promise.all(accepted);
  return sent;
}
