import { costsBetween, type Costs } from '../installation/costs.ts';
import type { DeliveryBench } from './context.ts';

/** Deliveries per second from the accepted push to the last outcome, and the costs of each. */
export type SentCampaign = { readonly perSecond: number; readonly costs: Costs };

export async function sendCampaign(
  run: DeliveryBench,
  options: Parameters<DeliveryBench['push']>[0],
): Promise<SentCampaign> {
  const before = await run.readCounters();
  const { campaignId } = await run.push(options);
  const { timing } = await run.completed(campaignId);
  const after = await run.readCounters();
  const seconds = ((timing.lastSentAt ?? NaN) - timing.createdAt) / 1000;
  return {
    perSecond: options.recipients / seconds,
    costs: costsBetween(before, after, options.recipients),
  };
}
