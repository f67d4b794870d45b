import type { RowHead } from '../../fault-row.ts';
import type { Attacker } from '../../load/neighbours/attacker.ts';

/** What one application does beside another. */
export type NeighboursRow = RowHead & {
  /** Needs users with many events. */
  readonly needsEvents?: true;
  /** Resolves soon after its signal aborts. */
  attack(attacker: Attacker): Promise<void>;
};
