import { STATE_GROUPS, SUCCESS_STATES } from '@tidings/contracts';
import { campaignOf, type SentPush } from '../../load/delivery/pushes.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import type { StoredDeliveries, StoredDelivery } from './stored-deliveries.ts';

/** What the product says, and what the providers have. */
export type Evidence = StoredDeliveries & { readonly accepted: readonly AcceptedMessage[] };

export type DeliveryRules = {
  /** Campaigns that somebody canceled. */
  readonly canceled: ReadonlySet<string>;
  /** Where a message to this recipient of this push has to arrive. */
  addressOf(push: SentPush, customUserId: string): string;
};

export type DeliveryFindings = {
  /** An outcome for everyone: recipients without a delivery, or without the outcome that they should have. */
  readonly lost: readonly string[];
  /** Sent once: people who got a message more than once, and campaigns that are there more than once. */
  readonly twice: readonly string[];
  /** True reports: reports that say something else than what the provider knows. */
  readonly untrue: readonly string[];
  /** SMS that are unknown though the provider accepted them and calls back. */
  readonly unresolved: readonly string[];
  readonly unknown: Readonly<Record<SentChannel, number>>;
  /** The same by what their worker met. */
  readonly unknownFor: ReadonlyMap<string, number>;
  /** People whose provider accepted more than one message of a campaign, hooks left out: those repeat by their id. */
  readonly reachedTwice: number;
};

const AT_MOST_ONCE: ReadonlySet<SentChannel> = new Set(['EMAIL', 'SMS']);
const SUCCESSES: readonly string[] = SUCCESS_STATES;

/** Outcomes, copies and reports, recipient by recipient: what callers were promised, what the product says, and what the providers have. */
export function checkDeliveries(
  pushes: readonly SentPush[],
  { campaigns, deliveries, accepted }: Evidence,
  rules: DeliveryRules,
): DeliveryFindings {
  const lost: string[] = [];
  const untrue: string[] = [];
  const unresolved: string[] = [];
  const ofCampaign = Map.groupBy(deliveries, ({ campaignId }) => campaignId);
  const ofDelivery = Map.groupBy(accepted, ({ deliveryId }) => deliveryId ?? '');

  for (const push of pushes) {
    const campaignId = campaignOf(push);
    if (campaignId === undefined) continue;
    const rows = ofCampaign.get(campaignId) ?? [];
    const found = new Set(rows.map(({ customUserId }) => customUserId));
    const wanted = new Set(push.recipients);
    for (const customUserId of wanted)
      if (!found.has(customUserId)) lost.push(`${push.key}: no delivery to ${customUserId}`);
    for (const row of rows) {
      if (!wanted.has(row.customUserId))
        untrue.push(`${push.key}: a delivery to ${row.customUserId}, who is no recipient`);
      const messages = ofDelivery.get(row.deliveryId) ?? [];
      const group = STATE_GROUPS[row.state];
      const isSuccess = SUCCESSES.includes(group);
      if (
        !isSuccess &&
        group !== 'unknown' &&
        !(group === 'canceled' && rules.canceled.has(campaignId))
      )
        lost.push(`${push.key}: ${row.customUserId} is ${row.state} ${row.reason ?? ''}`);
      if (isSuccess && messages.length === 0)
        untrue.push(
          `${push.key}: ${row.customUserId} is ${row.state}, and no provider accepted it`,
        );
      if (!isSuccess && group !== 'unknown' && messages.length > 0 && AT_MOST_ONCE.has(row.channel))
        untrue.push(
          `${push.key}: ${row.customUserId} is ${row.state}, and the provider accepted it`,
        );
      if (group === 'unknown' && row.channel === 'WEB_HOOK')
        untrue.push(`${push.key}: a hook to ${row.customUserId} is unknown, and can be sent again`);
      if (group === 'unknown' && row.channel === 'SMS' && messages.length > 0)
        unresolved.push(`${push.key}: ${row.customUserId} is unknown, and the provider has it`);
      for (const { to } of messages)
        if (to !== rules.addressOf(push, row.customUserId))
          untrue.push(`${push.key}: the message to ${row.customUserId} came to ${to}`);
    }
  }
  const { twice, reachedTwice } = findRepeats({ campaigns, deliveries, accepted });
  return {
    lost,
    twice: [...twice, ...surplusCampaigns(pushes, campaigns)],
    untrue,
    unresolved,
    unknown: countUnknown(deliveries),
    unknownFor: groupUnknown(deliveries),
    reachedTwice,
  };
}

/** Also of campaigns whose caller never heard that they were accepted. */
function findRepeats({ campaigns, deliveries, accepted }: Evidence): {
  readonly twice: readonly string[];
  readonly reachedTwice: number;
} {
  const twice: string[] = [];
  const ours = new Set(
    campaigns.filter(({ isTest }) => !isTest).map(({ campaignId }) => campaignId),
  );
  const known = new Map(deliveries.map((delivery) => [delivery.deliveryId, delivery]));
  let reachedTwice = 0;
  for (const [key, messages] of Map.groupBy(
    accepted.filter(({ campaignId }) => ours.has(campaignId ?? '')),
    ({ campaignId, to }) => `${campaignId} to ${to}`,
  )) {
    const ids = new Set(messages.map(({ deliveryId }) => deliveryId));
    const [channel = 'EMAIL'] = messages.map((message) => message.channel);
    if (AT_MOST_ONCE.has(channel) && messages.length > 1) {
      reachedTwice += 1;
      twice.push(`${channel} of campaign ${key}: ${messages.length} messages`);
    } else if (ids.size > 1) {
      twice.push(`${channel} of campaign ${key}: by ${ids.size} deliveries`);
    }
    for (const { deliveryId, hookId } of messages) {
      if (!known.has(deliveryId ?? ''))
        twice.push(`${channel} of campaign ${key}: by a delivery that is not there`);
      if (channel === 'WEB_HOOK' && hookId !== deliveryId)
        twice.push(`${channel} of campaign ${key}: its receiver cannot know it by ${hookId}`);
    }
  }
  const rows = Map.groupBy(
    deliveries,
    ({ campaignId, customUserId }) => `${campaignId} to ${customUserId}`,
  );
  for (const [key, list] of rows)
    if (list.length > 1) twice.push(`campaign ${key}: ${list.length} deliveries`);
  return { twice, reachedTwice };
}

/** Each push is one campaign, however often it was sent; one that was never acknowledged may be one, too. */
function surplusCampaigns(
  pushes: readonly SentPush[],
  campaigns: StoredDeliveries['campaigns'],
): string[] {
  const acknowledged = new Set(pushes.map(campaignOf).filter((id) => id !== undefined));
  const stored = campaigns.filter(({ isTest }) => !isTest);
  const others = stored.filter(({ campaignId }) => !acknowledged.has(campaignId)).length;
  const unanswered = pushes.filter((push) => campaignOf(push) === undefined).length;
  return others > unanswered
    ? [`${others} campaigns that nobody was told of, from ${unanswered} pushes without an answer`]
    : [];
}

function countUnknown(deliveries: readonly StoredDelivery[]): Record<SentChannel, number> {
  const counts = { EMAIL: 0, SMS: 0, WEB_HOOK: 0 };
  for (const { channel, state } of deliveries) if (state === 'unknown') counts[channel] += 1;
  return counts;
}

function groupUnknown(deliveries: readonly StoredDelivery[]): ReadonlyMap<string, number> {
  const unknown = deliveries.filter(({ state }) => state === 'unknown');
  const groups = Map.groupBy(
    unknown,
    ({ channel, providerCode }) =>
      `${channel}, ${providerCode === null ? 'whose worker never said' : `after ${providerCode}`}`,
  );
  return new Map([...groups].map(([what, list]) => [what, list.length]));
}
