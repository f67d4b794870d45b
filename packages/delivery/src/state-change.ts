import type { AttemptOutcome, DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { DeliveryTarget } from './delivery-target.ts';

/** The new state of one delivery, or of one of its addresses, with what is known of the attempt that led to it. */
export type StateChange = DeliveryTarget & {
  /** The fence of the claim that made the attempt; null where no attempt did (sweeps). */
  readonly fence: number | null;
  readonly state: DeliveryState;
  readonly reason?: DeliveryReason;
  /** For `retry_wait`: when to try again. */
  readonly delayMs?: number;
  /** An attempt that never reached the provider is not counted. */
  readonly isAttemptReturned?: boolean;
  /** It begins anew: no attempts yet, and news of earlier ones change nothing any more. */
  readonly isFresh?: boolean;
  readonly providerId?: string;
  readonly providerCode?: string;
  readonly providerMessage?: string;
  /** What the attempt came to, before it was decided what becomes of the delivery; absent where no attempt ended. */
  readonly outcome?: AttemptOutcome;
  /** How long the attempt took. */
  readonly durationMs?: number;
  /** When it happened, where that was earlier: milliseconds since the epoch. */
  readonly at?: number;
  /** What its entry in the log is called, where that is not the state. */
  readonly event?: string;
  /** What is to be read there, where the provider said nothing. */
  readonly detail?: string;
  /** Where an attempt at a device went to, when it turned out to be dead: the device loses it. */
  readonly address?: string;
};
