import { FREQUENCY_WINDOW_HOURS_MAX } from '@tidings/contracts';
import { forgetCountedSends } from '@tidings/delivery/arm-within-caps';
import { forgetOpenOutcomes, forgetProviderIds } from '@tidings/delivery/look-ups';
import type { Database } from '@tidings/postgres/database';
import type { CampaignsConfig } from './config.ts';
import { forgetInSteps } from './forget-in-steps.ts';

/** Forgets sends that no frequency cap and no daily cap counts any more, and what no provider is asked about. */
export async function forgetOldSends(
  db: Database,
  { deliveryRetentionDays: days }: Pick<CampaignsConfig, 'deliveryRetentionDays'>,
  signal: AbortSignal,
): Promise<void> {
  await forgetInSteps(
    (limit) => forgetCountedSends(db, { windowHours: FREQUENCY_WINDOW_HOURS_MAX, limit }),
    signal,
  );
  await forgetInSteps((limit) => forgetOpenOutcomes(db, limit), signal);
  await forgetInSteps((limit) => forgetProviderIds(db, { days, limit }), signal);
}
