import type { FaultRow } from '../../fault-row.ts';
import type { RollingRig } from '../../rigs/rolling-rig.ts';
import type { DeliveryRun } from '../delivery/delivery-row.ts';

export type RollingRun = DeliveryRun & { readonly rig: RollingRig };
export type RollingRow = FaultRow<RollingRun> & {
  /** Time limit of the row, if longer than the default. */
  readonly withinMs?: number;
};
