import {
  RETRY_IF_UNKNOWN,
  type Channel as ChannelName,
  type Lane,
} from '@tidings/contracts/channels/channels';
import type { CapUnit } from '@tidings/contracts/channels/descriptor';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { smsSegments } from '@tidings/contracts/channels/sms-segments';
import {
  markSendingWithinCaps,
  refundDailyUnits,
  type MarkSending,
  type CappedResult,
  type SendCaps,
} from '@tidings/delivery/mark-sending-within-caps';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { type StateChange, targetOf } from '@tidings/delivery/change-states';
import { localDay, type Clock, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { SendResult } from '../channel.ts';
import type { ChunkStatements } from '../chunk-statements.ts';
import type { Prepared } from '../prepare.ts';
import { holdForQuietHours } from './hold-for-quiet-hours.ts';
import type { SendPolicies } from './send-policies.ts';

export type MarkingDependencies = {
  readonly channelName: ChannelName;
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly statements: Record<Lane, Pick<ChunkStatements, 'markSending'>>;
  readonly sendLeaseMs: number;
  /** Replaces the default way to mark rows sending under caps. */
  readonly mark?: MarkSending;
};

type Group = {
  readonly campaign: CampaignToSend;
  readonly policies: SendPolicies;
  readonly group: readonly Prepared[];
};

export type MarkedGroup = {
  /** Keys of the rows that were marked; only these may be sent. */
  readonly marked: ReadonlySet<string>;
  /** State changes by policy. Rows in neither set were not marked. */
  readonly changes: readonly StateChange[];
  /** Call with each send result if a daily cap applies: certainly rejected sends are refunded. */
  readonly refund?: (deliveryId: string, result: SendResult) => Promise<void>;
};

const HOUR_MS = 3_600_000;

/**
 * Marks rows of the group sending, as far as policies allow. Checks quiet hours again, because
 * slots were waited for.
 */
export async function markGroupSending(
  deps: MarkingDependencies,
  { campaign, policies, group }: Group,
): Promise<MarkedGroup> {
  const { channelName, db, clock, statements, sendLeaseMs } = deps;
  const now = clock.now();
  const { open, changes } = holdForQuietHours(group, { purpose: campaign.purpose, policies, now });
  const deliveries = open.map(({ delivery }) => delivery);
  const caps = capsOf(deps, { campaign, policies, group: open }, now);
  if (caps.frequency === null && caps.daily === null) {
    const marked =
      deliveries.length === 0
        ? new Set<string>()
        : await statements[campaign.lane].markSending(deliveries, campaign.campaignId);
    return { marked, changes };
  }
  const { applicationId, campaignId } = campaign;
  const marking = await markSendingWithinCaps(db, {
    applicationId,
    campaignId,
    channel: channelName,
    deliveries,
    leaseMs: sendLeaseMs,
    caps,
    ...(deps.mark && { mark: deps.mark }),
  });
  const { daily } = caps;
  return {
    marked: marking.marked,
    changes: [...changes, ...changesOf(marking, { open, policies })],
    ...(daily !== null && {
      refund: (deliveryId: string, result: SendResult) =>
        refundIfRejected(deps, { campaign, daily, deliveryId }, result),
    }),
  };
}

function capsOf(
  { channelName }: MarkingDependencies,
  { campaign, policies, group }: Group,
  now: number,
): SendCaps {
  const { frequencyCap, dailyCap, timeZone } = policies;
  return {
    frequency:
      frequencyCap === null || campaign.purpose !== 'marketing'
        ? null
        : { messages: frequencyCap.messages, windowMs: frequencyCap.windowHours * HOUR_MS },
    daily:
      dailyCap === null
        ? null
        : {
            day: localDay(now, timeZone),
            units: dailyCap,
            unitsEach: unitsOf(CHANNEL_DESCRIPTORS[channelName].capUnit, campaign, group),
          },
  };
}

/** Of personalised messages the most that one of the group takes: too little is sent, never too much. */
function unitsOf(unit: CapUnit, campaign: CampaignToSend, group: readonly Prepared[]): number {
  const messages = group.flatMap(({ rendered }) => rendered?.message ?? []);
  const units = (messages.length === 0 ? [campaign.message] : messages).map((message) =>
    UNITS_OF[unit](message),
  );
  return Math.max(...units);
}

/** Units of the daily cap that one message takes. */
const UNITS_OF = {
  message: () => 1,
  segment: ({ body }) => smsSegments(String(body)).segments,
} as const satisfies Record<CapUnit, (message: Readonly<Record<string, unknown>>) => number>;

function changesOf(
  { frequencyCapped, spendCapped }: CappedResult,
  { open, policies }: { readonly open: readonly Prepared[]; readonly policies: SendPolicies },
): StateChange[] {
  const isHeld = policies.frequencyCap?.action === 'hold';
  return [
    ...open.flatMap(({ delivery }): StateChange[] => {
      const delayMs = frequencyCapped.get(delivery.deliveryId);
      if (delayMs === undefined) return [];
      const claim = { ...targetOf(delivery), fence: delivery.fence };
      return [
        isHeld
          ? { ...claim, state: 'pending', reason: 'frequency_capped', delayMs }
          : { ...claim, state: 'failed', reason: 'frequency_capped' },
      ];
    }),
    ...spendCapped.map((claim): StateChange => ({
      ...targetOf(claim),
      fence: claim.fence,
      state: 'failed',
      reason: 'spend_cap',
    })),
  ];
}

/** One send whose units of the daily cap may be refunded. */
type DailyRefund = {
  readonly campaign: CampaignToSend;
  readonly daily: NonNullable<SendCaps['daily']>;
  readonly deliveryId: string;
};

/** If the refund fails, the units stay spent: sending too little is better than too much. */
async function refundIfRejected(
  { channelName, db, logger }: MarkingDependencies,
  { campaign, daily, deliveryId }: DailyRefund,
  result: SendResult,
): Promise<void> {
  if (!isNotAccepted(channelName, result)) return;
  await refundDailyUnits(db, {
    applicationId: campaign.applicationId,
    channel: channelName,
    day: daily.day,
    units: daily.unitsEach,
    deliveryId,
  }).catch((error: unknown) => {
    logger.warn(
      { err: error, campaignId: campaign.campaignId },
      'daily cap units could not be refunded',
    );
  });
}

/** On channels that retry unknown outcomes, `transient` may hide an accepted send. */
function isNotAccepted(channel: ChannelName, { status }: SendResult): boolean {
  if (status === 'transient') return !RETRY_IF_UNKNOWN[channel];
  return status !== 'sent' && status !== 'unknown';
}
