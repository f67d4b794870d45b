import { STATE_GROUPS, SUCCESS_STATES } from '@tidings/contracts/push/deliveries';
import { campaignOf, type SentPush } from '../../load/delivery/pushes.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import type { StoredDeliveries, StoredDelivery } from './stored-deliveries.ts';

/** The product's data and the providers' data. */
export type Evidence = StoredDeliveries & { readonly accepted: readonly AcceptedMessage[] };

export type DeliveryRules = {
  /** Campaigns canceled by the row. */
  readonly canceled: ReadonlySet<string>;
  /** Address at which a message to this recipient must arrive. */
  addressOf(push: SentPush, customUserId: string): string;
};

export type DeliveryFindings = {
  /** An outcome for everyone: recipients without a delivery, or without the expected outcome. */
  readonly lost: readonly string[];
  /** Sent once: users who got a message more than once, and duplicate campaigns. */
  readonly twice: readonly string[];
  /** True reports: deliveries whose state contradicts the provider. */
  readonly untrue: readonly string[];
  /** SMS that are unknown although the provider accepted them and sends callbacks. */
  readonly unresolved: readonly string[];
  readonly unknown: Readonly<Record<SentChannel, number>>;
  /** Unknown deliveries by cause. */
  readonly unknownFor: ReadonlyMap<string, number>;
  /**
   * Users whose provider accepted more than one message of a campaign; without hooks, whose
   * receivers deduplicate by id.
   */
  readonly reachedTwice: number;
};

const AT_MOST_ONCE: ReadonlySet<SentChannel> = new Set(['EMAIL', 'SMS']);
const SUCCESSES: readonly string[] = SUCCESS_STATES;

/**
 * Checks outcomes, duplicates and reports per recipient: what callers were promised, what the
 * product says, and what the providers have.
 */
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
        untrue.push(`${push.key}: a delivery to ${row.customUserId}, who is not a recipient`);
      const messages = ofDelivery.get(row.deliveryId) ?? [];
      const isCanceled = rules.canceled.has(campaignId);
      const faults = checkOutcome(row, { messages, isCanceled });
      lost.push(...faults.lost.map((fault) => `${push.key}: ${fault}`));
      untrue.push(...faults.untrue.map((fault) => `${push.key}: ${fault}`));
      unresolved.push(...faults.unresolved.map((fault) => `${push.key}: ${fault}`));
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

/** Compares the state of a delivery with the messages that its provider accepted. */
function checkOutcome(
  { state, reason, channel, customUserId }: StoredDelivery,
  { messages, isCanceled }: { readonly messages: readonly unknown[]; readonly isCanceled: boolean },
): Pick<DeliveryFindings, 'lost' | 'untrue' | 'unresolved'> {
  const lost: string[] = [];
  const untrue: string[] = [];
  const unresolved: string[] = [];
  const group = STATE_GROUPS[state];
  const isSuccess = SUCCESSES.includes(group);
  const isUnknown = group === 'unknown';
  const isAccepted = messages.length > 0;
  if (!isSuccess && !isUnknown && !(group === 'canceled' && isCanceled))
    lost.push(`${customUserId} is ${state} ${reason ?? ''}`);
  if (isSuccess && !isAccepted)
    untrue.push(`${customUserId} is ${state}, but no provider accepted it`);
  if (!isSuccess && !isUnknown && isAccepted && AT_MOST_ONCE.has(channel))
    untrue.push(`${customUserId} is ${state}, but the provider accepted it`);
  if (isUnknown && channel === 'WEB_HOOK')
    untrue.push(`a hook to ${customUserId} is unknown, but hooks are resent`);
  if (isUnknown && channel === 'SMS' && isAccepted)
    unresolved.push(`${customUserId} is unknown, but the provider has it`);
  return { lost, untrue, unresolved };
}

/** Includes campaigns whose acceptance never reached the caller. */
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
        twice.push(`${channel} of campaign ${key}: by a delivery that does not exist`);
      if (channel === 'WEB_HOOK' && hookId !== deliveryId)
        twice.push(
          `${channel} of campaign ${key}: its receiver cannot deduplicate it by ${hookId}`,
        );
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

/**
 * Each push must be one campaign, however often it was sent; one that was never acknowledged may
 * exist too.
 */
function surplusCampaigns(
  pushes: readonly SentPush[],
  campaigns: StoredDeliveries['campaigns'],
): string[] {
  const acknowledged = new Set(pushes.map(campaignOf).filter((id) => id !== undefined));
  const stored = campaigns.filter(({ isTest }) => !isTest);
  const others = stored.filter(({ campaignId }) => !acknowledged.has(campaignId)).length;
  const unanswered = pushes.filter((push) => campaignOf(push) === undefined).length;
  return others > unanswered
    ? [`${others} campaigns without a caller, from ${unanswered} pushes without a response`]
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
      `${channel}, ${providerCode === null ? 'not recorded by its worker' : `after ${providerCode}`}`,
  );
  return new Map([...groups].map(([what, list]) => [what, list.length]));
}
