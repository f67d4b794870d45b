import { INBOX_CHANNELS } from '@tidings/contracts/channels/channels';
import { STATE_GROUPS, SUCCESS_STATES } from '@tidings/contracts/push/deliveries';
import { campaignOf } from '../../load/delivery/pushes.ts';
import type { DevicePush } from '../../load/devices/pushes.ts';
import type { StoredDelivery } from '../delivery/stored-deliveries.ts';

export type DeviceEvidence = {
  readonly campaigns: readonly { readonly campaignId: string }[];
  readonly deliveries: readonly Pick<
    StoredDelivery,
    'deliveryId' | 'campaignId' | 'customUserId' | 'state' | 'reason'
  >[];
  /** Number of arrivals at listening devices, by delivery. */
  readonly arrivals: ReadonlyMap<string, number>;
  /** Messages accepted by push services. */
  readonly accepted: readonly { readonly deliveryId: string | null }[];
};

export type DeviceFindings = {
  readonly lost: readonly string[];
  /** Two deliveries for one recipient, or two campaigns for one push. */
  readonly twice: readonly string[];
  /** One delivery several times, which a device recognises. */
  readonly repeated: readonly string[];
};

const INBOX: readonly string[] = INBOX_CHANNELS;
const SUCCESSES: readonly string[] = SUCCESS_STATES;

/**
 * Per recipient: each push is one campaign, each recipient has one delivery, and the device got it
 * once.
 */
export function checkDeviceMessages(
  pushes: readonly DevicePush[],
  { campaigns, deliveries, arrivals, accepted }: DeviceEvidence,
): DeviceFindings {
  const lost: string[] = [];
  const twice: string[] = [];
  const repeated: string[] = [];
  const taken = Map.groupBy(accepted, ({ deliveryId }) => deliveryId ?? '');
  const ofCampaign = Map.groupBy(deliveries, ({ campaignId }) => campaignId);
  for (const push of pushes) {
    const rows = ofCampaign.get(campaignOf(push) ?? '') ?? [];
    const isInbox = INBOX.includes(push.channel);
    for (const customUserId of push.recipients)
      if (!rows.some((row) => row.customUserId === customUserId))
        lost.push(`${push.key}: no delivery to ${customUserId}`);
    if (rows.length > push.recipients.length)
      twice.push(`${push.key}: ${rows.length} deliveries to ${push.recipients.length}`);
    for (const { deliveryId, customUserId, state, reason } of rows) {
      const group = STATE_GROUPS[state];
      if (isInbox ? group !== 'displayed' : !SUCCESSES.includes(group))
        lost.push(`${push.channel} ${push.key}: ${customUserId} is ${state} ${reason ?? ''}`);
      const times = isInbox
        ? (arrivals.get(deliveryId) ?? 0)
        : (taken.get(deliveryId)?.length ?? 0);
      if (times === 0) lost.push(`${push.channel} ${push.key}: nothing came to ${customUserId}`);
      if (times > 1)
        repeated.push(`${push.channel} ${push.key}: ${times} times to ${customUserId}`);
    }
  }
  if (campaigns.length > pushes.length)
    twice.push(`${campaigns.length} campaigns of ${pushes.length} pushes`);
  return { lost, twice, repeated };
}
