import type { Lane } from '@tidings/contracts';
import { Counter, sleep, type Clock, type Timers } from '@tidings/platform';
import type { SendResult } from '../channel.ts';
import type { SendSlots, SlotOwner } from '../send-slots.ts';
import { bearingOf } from './bearing.ts';
import type { Breaker, Leave } from './breaker.ts';
import type { Pace } from './pace.ts';

const heldTotal = new Counter({
  name: 'tidings_worker_deliveries_held_total',
  help: 'Claimed deliveries given back unsent, by what held them up.',
  labelNames: ['channel', 'cause'] as const,
});

/** The rest of a claim is given back after a fault of the settings, whether the pause was noted or not. */
const MISCONFIGURED_HOLD_MS = 1_000;
/** Others may take the tokens that were hoped for: well before the lease of the claim ends, it is given back. */
const TOKEN_PATIENCE_MS = 5_000;

/** Leave to arm so many, each with a slot; or, with none, when each of those that wanted is to be looked at again. */
export type Admission =
  | { readonly places: number; readonly ticket: Ticket }
  | { readonly delaysMs: number | readonly number[] };

/** Told of each place exactly once: what became of it (`not_sent` where it was not armed), and that it is free. */
export interface Ticket {
  observe(result: SendResult, sendMs?: number): void;
  leave(): void;
}

/** What an application's deliveries are sent through: one version of its settings, or the receiver that a message names. */
export interface Account {
  readonly version: number;
  /** For how long nothing can be sent of it; 0 when something may. */
  heldUpMs(): number;
  admit(wanted: number, options: AdmitOptions): Promise<Admission>;
}

export type AdmitOptions = {
  readonly lane: Lane;
  readonly pace: Pace | null;
  /** Goes past breaker and pace, and waits for a slot however slow the application is: a person waits for it. */
  readonly isTest: boolean;
  readonly timeoutMs: number;
  /** As when a slot is taken. */
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
  let heldUntil = -Infinity;
  const release = (owner: SlotOwner, count: number): void => {
    for (let index = 0; index < count; index += 1) slots.release(owner);
  };
  const ticketOf = (owner: SlotOwner, epoch: number, isTest: boolean): Ticket => ({
    observe(result, sendMs) {
      const bearing = bearingOf(result);
      if (sendMs !== undefined) slots.learn(applicationId, sendMs);
      if (bearing === 'misconfigured' && !isTest)
        heldUntil = clock.monotonicMs() + MISCONFIGURED_HOLD_MS;
      if (!isTest)
        breaker.tell(epoch, bearing, 'retryAfterMs' in result ? result.retryAfterMs : undefined);
      else if (bearing === 'works') breaker.close();
    },
    leave: () => release(owner, 1),
  });
  const heldUpMs = (): number => Math.max(breaker.heldUpMs(), heldUntil - clock.monotonicMs(), 0);
  /** Asked again when the slots are there: it may have opened while they were waited for. */
  const askFor = (places: number, isTest: boolean): Leave => {
    if (isTest) return { places, epoch: -1 };
    return heldUpMs() > 0 ? { places: 0, epoch: -1 } : breaker.ask(places);
  };
  const refuse = (
    wanted: number,
    {
      cause,
      delaysMs,
    }: {
      readonly cause: 'breaker' | 'slots' | 'rate';
      readonly delaysMs: number | readonly number[];
    },
  ): Admission => {
    heldTotal.inc({ channel, cause }, wanted);
    return { delaysMs };
  };

  return {
    version,
    heldUpMs,
    async admit(wanted, { lane, pace, isTest, timeoutMs, onWait, signal }) {
      const owner = { lane, applicationId };
      const startedAt = clock.monotonicMs();
      for (;;) {
        const held = isTest ? 0 : heldUpMs();
        if (held > 0) return refuse(wanted, { cause: 'breaker', delaysMs: held });
        const taken = await slots.take(wanted, {
          ...owner,
          timeoutMs,
          isPatient: isTest,
          ...(onWait !== undefined && { onWait }),
          signal,
        });
        if (taken === 0) return refuse(wanted, { cause: 'slots', delaysMs: slots.queueMs(owner) });
        const leave = askFor(taken, isTest);
        const places = pace === null || isTest ? leave.places : await pace.take(leave.places);
        release(owner, taken - places);
        // What gets no token is not sent, nor is a probe.
        for (let unused = places; unused < leave.places; unused += 1)
          breaker.tell(leave.epoch, 'nothing');
        if (places > 0) return { places, ticket: ticketOf(owner, leave.epoch, isTest) };
        if (leave.places === 0) continue;
        const waitMs =
          clock.monotonicMs() - startedAt > TOKEN_PATIENCE_MS
            ? null
            : (pace?.waitMs(wanted) ?? null);
        if (waitMs === null)
          return refuse(wanted, { cause: 'rate', delaysMs: pace?.queue(wanted) ?? 0 });
        // Without a slot: others send meanwhile.
        await sleep(clock, waitMs, signal);
      }
    },
  };
}
