import type { ReceivedEvent } from '../../load/webhook-receiver.ts';
import type { StoredDeliveries } from '../delivery/stored-deliveries.ts';

/** Only events of campaigns; device events are not checked. */
const OF_CAMPAIGNS = /^(campaign|message)\./;

export type WebhookFindings = {
  readonly missing: readonly string[];
  /** An event by several ids. */
  readonly twice: readonly string[];
  /** An event several times by one id, which an endpoint recognises. */
  readonly repeated: readonly string[];
};

/** Compares webhook events with the outcomes: every final state, with one event id. */
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
  const twice = [...Map.groupBy(names, (name) => name)]
    .filter(([, list]) => list.length > 1)
    .map(([name, list]) => `${name}: by ${list.length} ids`);
  const repeated = ours
    .filter(({ times }) => times > 1)
    .map(({ type, of, times }) => `${type} of ${of}: ${times} times by one id`);
  return {
    missing: wanted.filter((name) => !known.has(name)).map((name) => `no event: ${name}`),
    twice,
    repeated,
  };
}
