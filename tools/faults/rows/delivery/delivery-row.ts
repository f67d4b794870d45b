import type { FaultRow, Run } from '../../fault-row.ts';
import type { Pushes, SentPush } from '../../load/delivery/pushes.ts';
import type { Load } from '../../load/load.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import type { DeliveryRig, Sender } from '../../rigs/delivery-rig.ts';

export type DeliveryRun = Run<DeliveryRig> & {
  readonly load: Load<SentPush>;
  readonly pushes: Pushes;
  readonly senders: readonly Sender[];
  /**
   * Allowed ambiguous attempts per channel: sends of killed or stopped workers, and lost responses.
   */
  readonly ambiguousMax: Record<SentChannel, number>;
  readonly canceled: Set<string>;
  /** Table cells that the row fills in. */
  readonly cells: Record<string, string | number>;
};

export type DeliveryRow = FaultRow<DeliveryRun> & {
  /** The row has its own load; the standard load is off. */
  readonly isQuiet?: boolean;
  /** Time limit of the row, if longer than the default. */
  readonly withinMs?: number;
  /** Why the row cannot run here; null if it can. */
  leftOut?(): string | null;
  /** A comparison with another delivery method: its figures are not failures. */
  readonly isComparison?: boolean;
};
