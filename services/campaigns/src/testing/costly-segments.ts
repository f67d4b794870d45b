import type { NewCampaign } from '@tidings/delivery/accept';
import type { Database } from '@tidings/postgres/database';
import { systemClock } from '@tidings/platform';
import { createSnapshotTaker, SNAPSHOT_BOUNDS, type SnapshotBounds } from '../take-snapshots.ts';
import { campaignsHelpers } from './campaigns-service.ts';
import { holdAdvisoryLock } from './hold-advisory-lock.ts';

const KEY = 4_712;

/**
 * Segments whose recipients are read only when their lock is released, however long that takes:
 * nothing depends on how fast the machine is.
 */
export function costlySegments(db: Database) {
  const { campaignsService } = campaignsHelpers(db);
  const costly = new Set<string>();
  const database: Database = {
    ...db,
    transaction: (work, options) =>
      db.transaction(
        (sql) =>
          work({
            async query(text: string, values?: unknown[]) {
              const campaignId = values?.at(-1);
              if (text.includes('insert into campaign_chunks') && costly.has(String(campaignId)))
                await sql.query('select pg_advisory_xact_lock_shared($1)', [KEY]);
              return sql.query(text, values);
            },
          } as unknown as typeof sql),
        options,
      ),
  };

  return {
    makeCostly(...campaigns: readonly NewCampaign[]): void {
      for (const { campaignId } of campaigns) costly.add(campaignId);
    },
    /** Until it is released, costly segments take long. */
    hold: () => holdAdvisoryLock(db, KEY),
    /** As in a process of its own. */
    async taker(bounds: Partial<SnapshotBounds> = {}) {
      const service = await campaignsService({ database });
      const taker = createSnapshotTaker(
        { ...service, clock: systemClock },
        { ...SNAPSHOT_BOUNDS, ...bounds },
      );
      return { ...taker, lines: service.lines };
    },
  };
}
