import type { RecentOutcomes } from '@tidings/api-spec/channel-health-schema';
import type { AttentionKind } from '@tidings/contracts/attention';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { KeyType } from '@tidings/contracts/ingest/records';
import { LIMITS } from '@tidings/contracts/limits';
import type { ChannelHealth } from '../queries/overview/channel-health.ts';
import type {
  FailingCampaign,
  RejectedAddress,
  FailingWebhook,
} from '../queries/overview/attention.ts';
import type { IngestLag } from './ingest-lag.ts';

/** A problem that needs attention. Its other fields identify the affected object. */
export type Attention = {
  readonly kind: AttentionKind;
  /** Since when. Of a campaign: its creation; of a rejected address: the last rejection. */
  readonly at: number | null;
  readonly count?: number;
  /** `count` is a lower bound. */
  readonly hasMore?: boolean;
  readonly channel?: Channel;
  readonly campaignId?: string;
  readonly total?: number;
  readonly webhookId?: string;
  readonly url?: string;
  readonly address?: string;
  readonly reason?: string;
};

export type AttentionSources = {
  readonly lag: IngestLag | null;
  readonly deadLetters: {
    readonly count: number;
    readonly hasMore: boolean;
    readonly since: number | null;
  };
  readonly webhooks: readonly FailingWebhook[];
  readonly channels: readonly (ChannelHealth & { readonly health: RecentOutcomes })[];
  readonly campaigns: readonly FailingCampaign[];
  readonly addresses: readonly RejectedAddress[];
  /** Active event definitions per budget. */
  readonly definitions: Readonly<Record<KeyType, number>>;
};

/** A few seconds of traffic in a busy installation. */
const LAG_RECORDS_MAX = 10_000;
/** Share of the budget from which it counts as nearly full. */
const NEARLY_FULL_SHARE = 0.8;

/** All problems, most severe first: what stops messages comes before what stops notifications. */
export function listAttention({
  lag,
  deadLetters,
  webhooks,
  channels,
  campaigns,
  addresses,
  definitions,
}: AttentionSources): Attention[] {
  const behind = lag === null ? 0 : Math.max(...Object.values(lag));
  return [
    ...(behind > LAG_RECORDS_MAX
      ? [{ kind: 'ingest_behind' as const, at: null, count: behind }]
      : []),
    ...channels.flatMap(({ channel, pause }) =>
      pause === undefined
        ? []
        : [{ kind: 'channel_paused' as const, at: pause.pausedAt, channel, reason: pause.reason }],
    ),
    ...channels.flatMap(({ channel, pause, health }) =>
      pause !== undefined || health.state !== 'failing' ? [] : [describeFailing(channel, health)],
    ),
    ...channels.flatMap(({ channel, breaker }) =>
      breaker === undefined
        ? []
        : [
            {
              kind: 'channel_breaker_open' as const,
              at: breaker.openedAt,
              channel,
              reason: breaker.cause,
            },
          ],
    ),
    ...channels
      .filter(({ status }) => status === 'untested')
      .map(({ channel }) => ({ kind: 'channel_untested' as const, at: null, channel })),
    ...campaigns.map(({ campaignId, channel, createdAt, cause, failed, total }) => ({
      kind: 'campaign_failing' as const,
      at: createdAt,
      campaignId,
      channel,
      count: failed,
      total,
      reason: cause,
    })),
    ...(deadLetters.count === 0
      ? []
      : [
          {
            kind: 'dead_letters' as const,
            at: deadLetters.since,
            count: deadLetters.count,
            ...(deadLetters.hasMore && { hasMore: true }),
          },
        ]),
    ...webhooks.map(({ webhookId, url, disabledReason, since }) => ({
      kind: disabledReason === null ? ('webhook_failing' as const) : ('webhook_disabled' as const),
      at: since,
      webhookId,
      url,
      ...(disabledReason !== null && { reason: disabledReason }),
    })),
    ...nearlyFull('definitions_nearly_full', definitions.server, LIMITS.definitionsMax),
    ...nearlyFull(
      'client_definitions_nearly_full',
      definitions.client,
      LIMITS.clientDefinitionsMax,
    ),
    ...addresses.map(({ address, requests, lastAt }) => ({
      kind: 'addresses_refused' as const,
      at: lastAt,
      address,
      count: requests,
    })),
  ];
}

function describeFailing(
  channel: Channel,
  { since, attempts, failed, unknown, reason }: RecentOutcomes,
): Attention {
  return {
    kind: 'channel_failing',
    at: since,
    channel,
    count: failed + unknown,
    total: attempts,
    ...(reason !== null && { reason }),
  };
}

function nearlyFull(kind: AttentionKind, count: number, total: number): Attention[] {
  return count >= NEARLY_FULL_SHARE * total ? [{ kind, at: null, count, total }] : [];
}
