import type { Condition } from '@tidings/contracts/segments/conditions';
import type { MessageMilestone } from '@tidings/contracts/segments/leaves/message';
import type { Campaign } from '../../api/types.ts';

/** Registered users whose message of a campaign got so far. */
export const reachedBy = (
  { campaignId }: Pick<Campaign, 'campaignId'>,
  was: MessageMilestone,
): Condition => ({ message: { campaignId }, was });

/** Those to whom it was sent, and who did not do it. */
export const sentWithout = (
  campaign: Pick<Campaign, 'campaignId'>,
  was: 'opened' | 'clicked',
): Condition => ({ all: [reachedBy(campaign, 'sent'), { not: reachedBy(campaign, was) }] });
