import { UNREACHABLE_REASONS, WORDS, type CampaignRecord, type DeliveryReason } from '@tidings/contracts';

export const FUNNEL_STEPS = ['requested', 'unique', 'reachable', 'sent', 'delivered', 'displayed', 'opened', 'clicked'] as const;

const SECOND_MS = 1_000;

/** What the page of a campaign shows beside its record. */
export function reportOf(campaign: CampaignRecord) {
  const { recipients, counts, failures, timing } = campaign;
  const unreachable = UNREACHABLE_REASONS.reduce((sum, reason) => sum + (failures[reason] ?? 0), 0);
  const { sent, delivered, displayed, opened, clicked } = counts;
  const numbers = { requested: recipients.requested, unique: recipients.unique, reachable: recipients.unique - unreachable, sent, delivered, displayed, opened, clicked };
  const durationMs = timing.firstSentAt === null || timing.lastSentAt === null ? 0 : timing.lastSentAt - timing.firstSentAt;
  return {
    campaign,
    funnel: FUNNEL_STEPS.map((step) => ({ step, count: numbers[step] })),
    failures: (Object.entries(failures) as [DeliveryReason, number][])
      .map(([reason, count]) => ({ reason, count, ...WORDS.deliveryReason[reason] }))
      .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
    perSecond: durationMs === 0 ? null : Math.round((sent * SECOND_MS * 10) / durationMs) / 10,
  };
}
