import type { AttemptOutcome, DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { DeliveryTarget } from './delivery-target.ts';

/** A new state of a delivery or of one of its addresses, with the attempt that led to it. */
export type StateChange = DeliveryTarget & {
  /** Fence of the claim that made the attempt; null without an attempt (sweeps). */
  readonly fence: number | null;
  readonly state: DeliveryState;
  readonly reason?: DeliveryReason;
  /** For `retry_wait`: milliseconds until the retry. */
  readonly delayMs?: number;
  /** The attempt did not reach the provider and is not counted. */
  readonly isAttemptReturned?: boolean;
  /** The delivery restarts with no attempts; updates for earlier attempts are ignored. */
  readonly isFresh?: boolean;
  readonly providerId?: string;
  readonly providerCode?: string;
  readonly providerMessage?: string;
  /** Result of the attempt, before retries are decided; absent if no attempt ended. */
  readonly outcome?: AttemptOutcome;
  /** Duration of the attempt. */
  readonly durationMs?: number;
  /** Time of the change if earlier than now: milliseconds since the epoch. */
  readonly at?: number;
  /** Name of the log entry, if not the state. */
  readonly event?: string;
  /** Text of the log entry, if the provider gave no message. */
  readonly detail?: string;
  /** The invalid address of a device, which the device loses. */
  readonly address?: string;
};
