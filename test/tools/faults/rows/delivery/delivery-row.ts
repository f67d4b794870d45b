import type { FaultRow, Run } from '../../fault-row.ts';
import type { Pushes, SentPush } from '../../load/delivery/pushes.ts';
import type { Load } from '../../load/load.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import type { DeliveryRig, Sender } from '../../rigs/delivery-rig.ts';

export type DeliveryRun = Run<DeliveryRig> & {
  readonly load: Load<SentPush>;
  readonly pushes: Pushes;
  readonly senders: readonly Sender[];
  /** How many sends of each channel may be in doubt at the end: of workers that were killed or stopped, and answers that were lost. */
  readonly doubts: Record<SentChannel, number>;
  readonly canceled: Set<string>;
  /** Columns of the table that are the row's to say. */
  readonly cells: Record<string, string | number>;
};

export type DeliveryRow = FaultRow<DeliveryRun> & {
  /** The row brings its own load, and this one would be in its way. */
  readonly isQuiet?: boolean;
  /** How long it may take in all, where that is more than others need. */
  readonly withinMs?: number;
  /** Why it cannot be run here; null when it can. */
  leftOut?(): string | null;
  /** Of another way to deliver, beside ours: what its figures say is no failure. */
  readonly isComparison?: boolean;
};
