import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A counter that differs from a recount of the deliveries. */
export type CounterDifference = {
  readonly campaignId: string;
  readonly state: string;
  /** Reason of a failure; empty for other states. */
  readonly reason: string;
  readonly counted: number;
  readonly recounted: number;
};

export type Reconciliation = {
  readonly campaigns: number;
  readonly differences: readonly CounterDifference[];
  /** Where the next step starts; null at the end. */
  readonly nextAfter: string | null;
};

export type ReconciliationBounds = {
  readonly campaignsMax: number;
  /** Maximum recipients per step; a larger campaign is a step of its own. */
  readonly recipientsMax: number;
  /** Active campaigns, and those accepted within this number of days. */
  readonly days: number;
};

/**
 * Compares the counters of the next campaigns with a recount of their deliveries. One statement is
 * one snapshot, and deliveries and counters change in the same transaction, so any difference is an
 * error, even under load.
 */
export async function reconcileCounters(
  db: Database,
  after: string | null,
  { campaignsMax, recipientsMax, days }: ReconciliationBounds,
): Promise<Reconciliation> {
  const { rows } = await db.sql.query<ReconciliationRow>(statement('reconcile-counters'), [
    after ?? '00000000-0000-0000-0000-000000000000',
    campaignsMax,
    recipientsMax,
    days,
  ]);
  return {
    campaigns: rows[0]?.campaigns ?? 0,
    nextAfter: rows[0]?.last_id ?? null,
    differences: rows.flatMap((row) =>
      row.campaign_id === null
        ? []
        : [
            {
              campaignId: row.campaign_id,
              state: row.state,
              reason: row.reason,
              counted: row.counted,
              recounted: row.recounted,
            },
          ],
    ),
  };
}

type ReconciliationRow = { readonly campaigns: number; readonly last_id: string | null } & (
  | { readonly campaign_id: null }
  | {
      readonly campaign_id: string;
      readonly state: string;
      readonly reason: string;
      readonly counted: number;
      readonly recounted: number;
    }
);
