import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

/** A counter that is not what a recount of the deliveries says. */
export type CounterDifference = {
  readonly campaignId: string;
  readonly state: string;
  /** Of a failure; empty for every other state. */
  readonly reason: string;
  readonly counted: number;
  readonly recounted: number;
};

export type Reconciliation = {
  readonly campaigns: number;
  readonly differences: readonly CounterDifference[];
  /** From where to go on; null at the end. */
  readonly nextAfter: string | null;
};

export type ReconciliationBounds = {
  readonly campaignsMax: number;
  /** Of all campaigns of one step together; a larger campaign is a step by itself. */
  readonly recipientsMax: number;
  /** Campaigns that are at work, and those accepted so many days ago at most. */
  readonly days: number;
};

/**
 * Compares the counters of the next campaigns after this id with a recount of their deliveries. One statement is one
 * snapshot, and whoever changes a delivery changes its counters in the same transaction: nothing may differ, however
 * much goes on meanwhile.
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
