import { messagesOf, type AutomationSend } from '@tidings/contracts/automations/definition';
import { isReported } from '@tidings/contracts/push/campaign-result';
import type { CampaignCounts } from '@tidings/contracts/push/campaigns';

/**
 * What opens and clicks of a step are shares of, as in the report of a campaign: deliveries, or what
 * was sent where a channel of the step reports none. `delivered` counts those who opened there.
 */
export function reachOfStep(
  send: AutomationSend,
  { sent, delivered }: Pick<CampaignCounts, 'sent' | 'delivered'>,
): { readonly delivered: number | null; readonly base: number } {
  return messagesOf(send).every(({ channel }) => isReported(channel, 'delivered'))
    ? { delivered, base: delivered }
    : { delivered: null, base: sent };
}
