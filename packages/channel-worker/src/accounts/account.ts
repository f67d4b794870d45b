import type { Lane } from '@tidings/contracts';
import { Counter, sleep, type Clock, type Timers } from '@tidings/platform';
import type { SendResult } from '../channel.ts';
import type { SendSlots, SlotOwner } from '../send-slots.ts';
import { healthSignalOf } from './health-signal.ts';
import type { Breaker, Permit } from './breaker.ts';
import type { SendRateLimiter } from './send-rate-limiter.ts';

const deferredTotal = new Counter({
  name: 'tidings_worker_deliveries_deferred_total',
  help: 'Claimed deliveries released unsent, by cause.',
  labelNames: ['channel', 'cause'] as const,
});

/**
 * After a configuration error, how long the account sends nothing, even if the pause could not be
 * stored.
 */
const MISCONFIGURED_BLOCK_MS = 1_000;
/**
 * Maximum wait for rate-limit tokens. It ends well before the claim lease; the rows are then
 * released.
 */
const TOKEN_WAIT_MAX_MS = 5_000;

/**
 * Permission to mark `slots` rows sending, each with a slot; or, without permission, the delay
 * after which each row is due again.
 */
export type Admission =
  | { readonly slots: number; readonly ticket: Ticket }
  | { readonly delaysMs: number | readonly number[] };

/**
 * Call both methods exactly once for each slot: `observe` with the result (`not_sent` if the row
 * was not marked), `release` when the slot is free.
 */
export interface Ticket {
  observe(result: SendResult, sendMs?: number): void;
  release(): void;
}

/**
 * The sending state of one account: one version of an application's settings, or the receiver that
 * a message names.
 */
export interface Account {
  readonly version: number;
  /** Milliseconds in which the account sends nothing; 0 if it may send now. */
  blockedForMs(): number;
  admit(wanted: number, options: AdmitOptions): Promise<Admission>;
}

export type AdmitOptions = {
  readonly lane: Lane;
  readonly rateLimiter: SendRateLimiter | null;
  /**
   * A test send skips the breaker and the rate limiter and waits the full timeout for a slot,
   * because a person waits for its result.
   */
  readonly isTest: boolean;
  readonly timeoutMs: number;
  /** Same as in `SendSlots.take`. */
  readonly onWait?: () => void;
  readonly signal: AbortSignal;
};

type AccountTools = {
  readonly channel: string;
  readonly applicationId: string;
  readonly version: number;
  readonly breaker: Breaker;
  readonly slots: SendSlots;
  readonly clock: Pick<Clock, 'monotonicMs'> & Timers;
};

export function createAccount({
  channel,
  applicationId,
  version,
  breaker,
  slots,
  clock,
}: AccountTools): Account {
  let blockedUntil = -Infinity;
  const release = (owner: SlotOwner, count: number): void => {
    for (let index = 0; index < count; index += 1) slots.release(owner);
  };
  const ticketOf = (owner: SlotOwner, epoch: number, isTest: boolean): Ticket => ({
    observe(result, sendMs) {
      const signalOfHealth = healthSignalOf(result);
      if (sendMs !== undefined) slots.recordSendMs(applicationId, sendMs);
      if (signalOfHealth === 'misconfigured' && !isTest)
        blockedUntil = clock.monotonicMs() + MISCONFIGURED_BLOCK_MS;
      if (!isTest)
        breaker.report(
          epoch,
          signalOfHealth,
          'retryAfterMs' in result ? result.retryAfterMs : undefined,
        );
      else if (signalOfHealth === 'works') breaker.close();
    },
    release: () => release(owner, 1),
  });
  const blockedForMs = (): number =>
    Math.max(breaker.blockedForMs(), blockedUntil - clock.monotonicMs(), 0);
  /** Checks the breaker again after the wait for slots: it may have opened meanwhile. */
  const acquirePermit = (sends: number, isTest: boolean): Permit => {
    if (isTest) return { sends, epoch: -1 };
    return blockedForMs() > 0 ? { sends: 0, epoch: -1 } : breaker.acquire(sends);
  };
  const defer = (
    wanted: number,
    {
      cause,
      delaysMs,
    }: {
      readonly cause: 'breaker' | 'slots' | 'rate';
      readonly delaysMs: number | readonly number[];
    },
  ): Admission => {
    deferredTotal.inc({ channel, cause }, wanted);
    return { delaysMs };
  };

  return {
    version,
    blockedForMs,
    async admit(wanted, { lane, rateLimiter, isTest, timeoutMs, onWait, signal }) {
      const owner = { lane, applicationId };
      const startedAt = clock.monotonicMs();
      for (;;) {
        const held = isTest ? 0 : blockedForMs();
        if (held > 0) return defer(wanted, { cause: 'breaker', delaysMs: held });
        const taken = await slots.take(wanted, {
          ...owner,
          timeoutMs,
          isPatient: isTest,
          ...(onWait !== undefined && { onWait }),
          signal,
        });
        if (taken === 0) return defer(wanted, { cause: 'slots', delaysMs: slots.queueMs(owner) });
        const leave = acquirePermit(taken, isTest);
        const sends =
          rateLimiter === null || isTest ? leave.sends : await rateLimiter.take(leave.sends);
        release(owner, taken - sends);
        // Permits without a token are not used; this also ends a probe.
        for (let unused = sends; unused < leave.sends; unused += 1)
          breaker.report(leave.epoch, 'nothing');
        if (sends > 0) return { slots: sends, ticket: ticketOf(owner, leave.epoch, isTest) };
        if (leave.sends === 0) continue;
        const waitMs =
          clock.monotonicMs() - startedAt > TOKEN_WAIT_MAX_MS
            ? null
            : (rateLimiter?.waitMs(wanted) ?? null);
        if (waitMs === null)
          return defer(wanted, { cause: 'rate', delaysMs: rateLimiter?.queue(wanted) ?? 0 });
        // Hold no slot during the wait, so that others can send.
        await sleep(clock, waitMs, signal);
      }
    },
  };
}
