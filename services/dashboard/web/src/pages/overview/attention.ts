import type { Campaign, ChannelState, DeadLetter, IngestEntry, Webhook } from '../../api/types.ts';
import { channelName } from '../../words/names.ts';

export type Attention = { readonly tone: 'bad' | 'warn'; readonly text: string; readonly to: string };

type State = {
  readonly channels: readonly ChannelState[];
  readonly deadLetters: readonly DeadLetter[];
  readonly webhooks: readonly Webhook[];
  readonly refusals: readonly IngestEntry[];
  readonly campaigns: readonly Campaign[];
  readonly now: number;
};

const RECENT_MS = 3_600_000;

/** What somebody should look at, the worst first; nothing: all is well. */
export function attentionOf({ channels, deadLetters, webhooks, refusals, campaigns, now }: State): readonly Attention[] {
  const recent = refusals.filter(({ receivedAt }) => now - receivedAt < RECENT_MS);
  const failing = campaigns.filter(({ counts, source, timing }) => source !== 'test' && counts.failed > 0 && counts.failed >= counts.total / 2 && now - timing.createdAt < 24 * RECENT_MS);
  const all: readonly (Attention | false)[] = [
    ...channels.map(({ channel, pause }) => pause !== undefined && ({ tone: 'bad', text: `${channelName(channel)} is paused: its settings do not work.`, to: `/channels/${channel}` } as const)),
    ...webhooks.map(({ id, url, status, disabledReason }) => status === 'disabled' && disabledReason !== 'by_hand' && ({ tone: 'bad', text: `The webhook endpoint ${url} was disabled.`, to: `/settings/webhooks/${id}` } as const)),
    deadLetters.length > 0 && { tone: 'bad', text: `${counted(deadLetters.length, 'dead letter waits', 'dead letters wait')} for a decision.`, to: '/settings/dead-letters?status=waiting' },
    ...failing.map(({ campaignId, counts, channel }) => ({ tone: 'warn' as const, text: `A campaign by ${channelName(channel)} failed for ${counts.failed} of ${counts.total}.`, to: `/campaigns/${campaignId}` })),
    ...webhooks.map(({ id, url, status, failingSince }) => status === 'enabled' && failingSince !== null && ({ tone: 'warn', text: `The webhook endpoint ${url} fails.`, to: `/settings/webhooks/${id}` } as const)),
    recent.length > 0 && { tone: 'warn', text: `${counted(recent.length, 'request was', 'requests were')} refused within the hour.`, to: '/ingest?outcome=refused' },
    ...channels.map(({ channel, status }) => status === 'untested' && ({ tone: 'warn', text: `${channelName(channel)} sends nothing until a test send succeeds.`, to: `/channels/${channel}` } as const)),
  ];
  return all.filter((entry) => entry !== false).toSorted((a, b) => Number(a.tone === 'warn') - Number(b.tone === 'warn'));
}

const counted = (count: number, one: string, many: string): string => (count === 1 ? `1 ${one}` : `${count} ${many}`);
