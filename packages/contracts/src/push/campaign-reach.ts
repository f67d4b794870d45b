import { mapChannels, type Channel } from '../channels/descriptors.ts';
import type { BounceCounts } from './bounces.ts';
import { isReported } from './campaign-result.ts';
import type { CampaignCounts } from './campaigns.ts';

/** How far a campaign got. Each number counts people, and is a part of the one before it. */
export type CampaignReach = {
  /** Of an e-mail with those that bounced. */
  readonly sent: number;
  /** Null: the channel reports neither deliveries nor bounces. */
  readonly delivered: number | null;
  /** Sent less bounced: nothing reports a delivery. */
  readonly isDerived: boolean;
  /** What opens and clicks are shares of: delivered, else sent. */
  readonly base: number;
};

const HAS_BOUNCES = mapChannels(({ hasBounces }) => hasBounces);

/**
 * The one vocabulary of every report and list. `counts.delivered` is no delivery where the channel
 * reports none: it counts those who opened.
 */
export function computeReach(
  channel: Channel,
  { sent, delivered }: Pick<CampaignCounts, 'sent' | 'delivered'>,
  bounces: BounceCounts = {},
): CampaignReach {
  if (isReported(channel, 'delivered'))
    return { sent, delivered, isDerived: false, base: delivered };
  if (!HAS_BOUNCES[channel]) return { sent, delivered: null, isDerived: false, base: sent };
  const bounced = Object.values(bounces).reduce((sum, count) => sum + count, 0);
  return { sent: sent + bounced, delivered: sent, isDerived: true, base: sent };
}
