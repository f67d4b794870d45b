import { localTimeBounds, localTimeMs } from '@tidings/contracts/push/push-schedule';
import type { Campaign } from '../../api/types.ts';

export type ZonedCampaign = Pick<Campaign, 'status' | 'schedule' | 'counts'>;

/** Until when messages of a campaign wait for the time of their zones; null: none does. */
export function waitsForZones(
  { status, schedule, counts }: ZonedCampaign,
  now: number,
): number | null {
  const localMs = localTimeMs(schedule?.sendAtLocal ?? '');
  if (status !== 'sending' || localMs === null || counts.pending === 0) return null;
  const { last } = localTimeBounds(localMs);
  return now < last ? last : null;
}

/** What such a campaign does. */
export const zonedStatus = ({ counts }: ZonedCampaign): string =>
  counts.pending === counts.total ? 'Waiting for zones' : 'Sending by zone';
