import { INBOX_CHANNELS } from '@tidings/contracts/channels/channels';
import {
  STATE_GROUPS,
  SUCCESS_STATES,
  type DeliveryState,
} from '@tidings/contracts/push/deliveries';
import { campaignOf } from '../../load/delivery/pushes.ts';
import type { PersonalPush } from '../../load/personal/pushes.ts';
import type { ArrivedText } from './arrived-text.ts';

export type PersonalEvidence = {
  readonly deliveries: readonly {
    readonly deliveryId: string;
    readonly campaignId: string;
    readonly customUserId: string;
    readonly state: DeliveryState;
    readonly reason: string | null;
  }[];
  readonly arrived: readonly ArrivedText[];
};

export type PersonalFindings = {
  /** Recipients without a delivery, an outcome, or a message. */
  readonly lost: readonly string[];
  readonly twice: readonly string[];
  /** Texts that no recipient may get, and messages before their time. */
  readonly wrong: readonly string[];
  /** Messages with the right text. */
  readonly right: number;
};

const INBOX: readonly string[] = INBOX_CHANNELS;
const SUCCESSES: readonly string[] = SUCCESS_STATES;

/** Per recipient: one delivery, one message, with the text for this user, not before its time. */
export function checkPersonalMessages(
  pushes: readonly PersonalPush[],
  { deliveries, arrived }: PersonalEvidence,
): PersonalFindings {
  const lost: string[] = [];
  const twice: string[] = [];
  const wrong: string[] = [];
  let right = 0;
  const ofCampaign = Map.groupBy(deliveries, ({ campaignId }) => campaignId);
  const ofDelivery = Map.groupBy(arrived, ({ deliveryId }) => deliveryId);
  for (const push of pushes) {
    const rows = ofCampaign.get(campaignOf(push) ?? '') ?? [];
    const about = (customUserId: string): string =>
      `${push.kind} by ${push.channel}, ${push.key}, ${customUserId}`;
    const found = new Set(rows.map(({ customUserId }) => customUserId));
    for (const customUserId of push.recipients)
      if (!found.has(customUserId)) lost.push(`${about(customUserId)}: no delivery`);
    if (rows.length > push.recipients.length)
      twice.push(`${push.key}: ${rows.length} deliveries to ${push.recipients.length}`);
    for (const { deliveryId, customUserId, state, reason } of rows) {
      const what = about(customUserId);
      const messages = ofDelivery.get(deliveryId) ?? [];
      const texts = push.textsFor(customUserId);
      for (const { body, receivedAt } of messages) {
        if (!texts.includes(body.trim())) wrong.push(`${what}: got "${body.slice(0, 100)}"`);
        else if (push.later.has(customUserId)) wrong.push(`${what}: hours before its time`);
        else if (receivedAt < push.notBefore)
          wrong.push(`${what}: ${push.notBefore - receivedAt} ms before its time`);
        else right += 1;
      }
      if (push.later.has(customUserId)) continue;
      const group = STATE_GROUPS[state];
      const isDone = INBOX.includes(push.channel)
        ? group === 'displayed'
        : SUCCESSES.includes(group);
      if (!isDone) lost.push(`${what}: ${state} ${reason ?? ''}`);
      if (messages.length === 0) lost.push(`${what}: nothing came`);
      if (messages.length > 1) twice.push(`${what}: ${messages.length} times`);
    }
  }
  return { lost, twice, wrong, right };
}
