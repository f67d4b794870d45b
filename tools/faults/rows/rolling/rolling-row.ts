import type { FaultRow } from '../../fault-row.ts';
import type { WebhookReceiver } from '../../load/webhook-receiver.ts';
import type { Window } from '../../oracles/cpu-waits.ts';
import type { Audience } from '../../rigs/audience.ts';
import type { RollingRig } from '../../rigs/rolling-rig.ts';
import type { DeliveryRun } from '../delivery/delivery-row.ts';

export type RollingRun = DeliveryRun & {
  readonly rig: RollingRig;
  readonly audience: Audience;
  /** Gets the webhooks of the audience. */
  readonly receiver: WebhookReceiver;
  /** When a process was frozen; from `performance.now()`. */
  readonly frozen: Window[];
};
export type RollingRow = FaultRow<RollingRun> & {
  /**
   * It cuts off work: what was in flight may be repeated where receivers recognise a repeat, and be
   * unknown where they do not.
   */
  readonly cutsOff?: true;
  /** Time limit of the row, if longer than the default. */
  readonly withinMs?: number;
};
