import { FUNNEL_STEPS, SERVICE_STEPS } from '@tidings/api-spec/funnel-steps';
import {
  isReported,
  EXPLANATIONS,
  type CampaignRecord,
  type DeliveryReason,
} from '@tidings/contracts';

const SECOND_MS = 1_000;

/** Builds the report of a campaign. */
export function buildReport(campaign: CampaignRecord) {
  const { channel, recipients, counts, result, failures, timing } = campaign;
  const { sent, delivered, displayed, opened, clicked } = counts;
  const numbers = {
    requested: recipients.requested,
    unique: recipients.unique,
    reachable: recipients.unique - result.notReachable,
    sent,
    delivered,
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
    failures: (Object.entries(failures) as [DeliveryReason, number][])
      .map(([reason, count]) => ({ reason, count, ...EXPLANATIONS.deliveryReason[reason] }))
      .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    perSecond: durationMs === 0 ? null : Math.round((sent * SECOND_MS * 10) / durationMs) / 10,
  };
}

type ServiceStep = (typeof SERVICE_STEPS)[number];
const isServiceStep = (step: (typeof FUNNEL_STEPS)[number]): step is ServiceStep =>
  (SERVICE_STEPS as readonly string[]).includes(step);
