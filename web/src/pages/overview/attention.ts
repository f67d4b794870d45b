import type { CampaignVerdict } from '@tidings/contracts/push/campaigns';
import type { Attention } from '../../api/types.ts';
import { counted, formatCount, humanize } from '../../lib/format.ts';
import { explain, shownRemedy } from '../../labels/explain.ts';
import { channelName } from '../../labels/channel-name.ts';
import { VERDICTS } from '../campaigns/verdicts.ts';

/** One entry of "Needs attention": its subject, what happened, what to do, and the page to open. */
export type AttentionEntry = {
  readonly tone: 'bad' | 'warn';
  readonly about: string;
  readonly summary: string;
  readonly remedy: string | null;
  readonly to: string;
};

/** Kinds that stop or lose messages. The others are warnings. */
const BAD: ReadonlySet<Attention['kind']> = new Set([
  'ingest_behind',
  'channel_paused',
  'channel_failing',
  'dead_letters',
  'webhook_disabled',
  'webhook_failing',
]);

/** A campaign has the same tone as in the list and the report. */
function isBad({ kind, reason = '' }: Attention): boolean {
  if (kind !== 'campaign_failing') return BAD.has(kind);
  return reason === 'failed' || (isVerdict(reason) && VERDICTS[reason].tone === 'bad');
}

const isVerdict = (reason: string): reason is CampaignVerdict => Object.hasOwn(VERDICTS, reason);

export function describeAttention(item: Attention): AttentionEntry {
  const { summary, remedy } = explain('attention', item.kind);
  return {
    tone: isBad(item) ? 'bad' : 'warn',
    summary,
    remedy: shownRemedy({ remedy }),
    ...describeSubject(item),
  };
}

function describeSubject({
  kind,
  count = 0,
  hasMore = false,
  channel,
  campaignId,
  total = 0,
  webhookId,
  url,
  address,
  reason,
}: Attention): Pick<AttentionEntry, 'about' | 'to'> {
  const name = channel === undefined ? '' : channelName(channel);
  switch (kind) {
    case 'dead_letters':
      return {
        about: `${hasMore ? 'More than ' : ''}${counted(count, 'dead letter', 'dead letters')}`,
        to: '/settings/dead-letters?status=waiting',
      };
    case 'webhook_failing':
    case 'webhook_disabled':
      return { about: url ?? 'A webhook endpoint', to: `/settings/webhooks/${webhookId}` };
    case 'channel_failing':
      return {
        about: `${name}: ${formatCount(count)} of ${counted(total, 'attempt', 'attempts')} failed${reason === undefined ? '' : `, ${humanize(reason).toLowerCase()}`}`,
        to: `/channels/${channel}`,
      };
    case 'channel_paused':
    case 'channel_breaker_open':
    case 'channel_untested':
      return { about: name, to: `/channels/${channel}` };
    case 'campaign_failing':
      return {
        about: `${name}: ${describeFailure({ reason, count, total })}`,
        to: `/campaigns/${campaignId}`,
      };
    case 'addresses_refused':
      return {
        about: `${address}: ${counted(count, 'request', 'requests')}`,
        to: '/settings/allow-list',
      };
    case 'definitions_nearly_full':
    case 'client_definitions_nearly_full':
      return {
        about: `${formatCount(count)} of ${formatCount(total)} event definitions`,
        to: '/events',
      };
    case 'ingest_behind':
      return { about: `${counted(count, 'record', 'records')} behind`, to: '/ingest' };
  }
}

function describeFailure({
  reason,
  count,
  total,
}: {
  readonly reason: string | undefined;
  readonly count: number;
  readonly total: number;
}): string {
  if (reason === 'no_one_reached')
    return `none of ${counted(total, 'recipient', 'recipients')} reached`;
  return reason === 'failed'
    ? 'the campaign failed'
    : `${formatCount(count)} of ${formatCount(total)} failed`;
}
