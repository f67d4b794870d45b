import type { Bounce } from '@tidings/contracts/push/bounces';
import type {
  AttemptOutcome,
  DeliveryReason,
  DeliveryState,
} from '@tidings/contracts/push/deliveries';

/** What is claimed, sent and settled: a delivery, or one address of it if the user has several. */
export type DeliveryTarget = {
  readonly deliveryId: string;
  /** Number of the address within the delivery; absent if it goes to one address. */
  readonly addressNo?: number;
};

/** Map key of a target; for a delivery to one address, its id. */
export function targetKey({ deliveryId, addressNo }: DeliveryTarget): string {
  return addressNo === undefined ? deliveryId : `${deliveryId}/${addressNo}`;
}

/** The target fields of a larger object. */
export function targetOf({ deliveryId, addressNo }: DeliveryTarget): DeliveryTarget {
  return { deliveryId, ...(addressNo !== undefined && { addressNo }) };
}

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
  /** What a mail server’s refusal means. */
  readonly bounce?: Bounce;
  /** The provider's message does not name the recipient. */
  readonly isNeutral?: boolean;
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
  /** An automation waits for outcomes of the campaign: the change is announced in its transaction. */
  readonly isHeard?: boolean;
};
