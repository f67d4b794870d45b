import type { FaultRow, Run } from '../../fault-row.ts';
import type { Carts } from '../../load/automations/carts.ts';
import type { Feed } from '../../load/automations/feed.ts';
import type { DeliveryRig, Sender } from '../../rigs/delivery-rig.ts';

export type AutomationsRun = Run<DeliveryRig> & {
  readonly sender: Sender;
  /** Prefix of all ids. */
  readonly prefix: string;
  /** Absent of rows with a load of their own. */
  readonly load: { readonly carts: Carts; readonly feed: Feed } | null;
  /** Table cells that the row fills in. */
  readonly cells: Record<string, string | number>;
  /** How many mails may have left without anyone knowing: of workers that lost their Postgres. */
  allowed: { unknown: number };
};

export type AutomationsRow = FaultRow<AutomationsRun> & {
  /** The row has its own load; people leave no carts. */
  readonly isQuiet?: true;
  /** A comparison with another engine: its figures are not failures. */
  readonly isComparison?: true;
};
