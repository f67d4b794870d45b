import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryRun } from '../../rows/delivery/delivery-row.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import { between } from '../random.ts';
import type { SentPush } from './pushes.ts';

export type PushRate = {
  readonly application: number;
  readonly channel: SentChannel;
  readonly perSecond: number;
  /** Of each push; 1 by default. */
  readonly recipients?: number;
  readonly forMs: number;
};

/** Each pause between two pushes is this part of the usual one, at least and at most. */
const PAUSE = { min: 0.5, max: 1.5 };

/** Pushes of one application at a steady pace; resolves with them when all are accepted. */
export async function pushSteadily(run: DeliveryRun, pace: PushRate): Promise<readonly SentPush[]> {
  const { load, pushes, random, ending } = run;
  const { application, channel, perSecond, recipients = 1, forMs } = pace;
  const sent: SentPush[] = [];
  const accepted: Promise<void>[] = [];
  const startedAt = performance.now();
  // By the time at which each is due: a process that comes late sends those that it has missed.
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
