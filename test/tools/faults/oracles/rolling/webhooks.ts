import type { ReceivedEvent } from '../../load/webhook-receiver.ts';
import type { StoredDeliveries } from '../delivery/stored-deliveries.ts';

/** Only events of campaigns; device events are not checked. */
const OF_CAMPAIGNS = /^(campaign|message)\./;

export type WebhookFindings = {
  readonly missing: readonly string[];
  readonly twice: readonly string[];
};

/** Compares webhook events with the outcomes: every final state exactly once, with one event id. */
export function checkWebhooks(
  told: ReadonlyMap<string, ReceivedEvent>,
  {
    campaigns,
    deliveries,
  }: Pick<StoredDeliveries, 'campaigns'> & {
    readonly deliveries: readonly { readonly deliveryId: string; readonly state: string }[];
  },
): WebhookFindings {
  const ours = [...told.values()].filter(({ type }) => OF_CAMPAIGNS.test(type));
  const names = ours.map(({ type, of }) => `${type} of ${of}`);
  const known = new Set(names);
  const wanted = [
    ...deliveries.map(({ deliveryId, state }) => `message.${state} of ${deliveryId}`),
    ...campaigns
      .filter(({ isTest }) => !isTest)
      .map(({ campaignId, status }) => `campaign.${status} of ${campaignId}`),
  ];
  const repeated = [...Map.groupBy(names, (name) => name)]
    .filter(([, list]) => list.length > 1)
    .map(([name, list]) => `${name}: by ${list.length} ids`);
  const again = ours
    .filter(({ times }) => times > 1)
    .map(({ type, of, times }) => `${type} of ${of}: ${times} times by one id`);
  return {
    missing: wanted.filter((name) => !known.has(name)).map((name) => `no event: ${name}`),
    twice: [...repeated, ...again],
  };
}
