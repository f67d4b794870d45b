import { FUNNEL_STEPS, SERVICE_STEPS } from '@tidings/api-spec/funnel-steps';
import { EXPLANATIONS } from '@tidings/contracts/errors/explanations/explanations';
import type { BounceClass } from '@tidings/contracts/push/bounces';
import { computeReach } from '@tidings/contracts/push/campaign-reach';
import { isReported } from '@tidings/contracts/push/campaign-result';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import type { DeliveryReason } from '@tidings/contracts/push/deliveries';
import type { AccountCounts } from '../../queries/campaigns/count-by-account.ts';

const SECOND_MS = 1_000;

/** Builds the report of a campaign. */
export function buildReport(campaign: CampaignRecord, accounts: readonly AccountCounts[]) {
  const { channel, recipients, counts, result, failures, bounces, timing } = campaign;
  const { sent, delivered, displayed, opened, clicked } = counts;
  const numbers = {
    requested: recipients.requested,
    unique: recipients.unique,
    reachable: recipients.unique - result.notReachable,
    sent,
    delivered: computeReach(channel, counts, bounces).delivered ?? delivered,
    displayed,
    opened,
    clicked,
  };
  const durationMs =
    timing.firstSentAt === null || timing.lastSentAt === null
      ? 0
      : timing.lastSentAt - timing.firstSentAt;
  return {
    campaign,
    funnel: FUNNEL_STEPS.map((step) => ({
      step,
      count: numbers[step],
      isReported: isServiceStep(step) || isReported(channel, step),
    })),
    failures: mostFrequentFirst<DeliveryReason>(failures).map(([reason, count]) => ({
      reason,
      count,
      ...EXPLANATIONS.deliveryReason[reason],
    })),
    bounces: mostFrequentFirst<BounceClass>(bounces).map(([each, count]) => ({
      class: each,
      count,
      ...EXPLANATIONS.bounceClass[each],
    })),
    accounts,
    perSecond: durationMs === 0 ? null : Math.round((sent * SECOND_MS * 10) / durationMs) / 10,
  };
}

const mostFrequentFirst = <T extends string>(counts: Readonly<Partial<Record<T, number>>>) =>
  (Object.entries(counts) as [T, number][]).toSorted(
    ([a, more], [b, fewer]) => fewer - more || (a < b ? -1 : 1),
  );

type ServiceStep = (typeof SERVICE_STEPS)[number];
const isServiceStep = (step: (typeof FUNNEL_STEPS)[number]): step is ServiceStep =>
  (SERVICE_STEPS as readonly string[]).includes(step);
