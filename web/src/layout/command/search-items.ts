import type { SearchItem } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { channelName } from '../../labels/channel-name.ts';
import type { IconName } from '../../ui/icon.tsx';
import type { Target } from './targets.ts';

type Kind<K extends SearchItem['kind']> = {
  readonly label: string;
  readonly icon: IconName;
  /** The page that shows it. */
  readonly target: (item: Extract<SearchItem, { readonly kind: K }>) => Target;
  /** At the end of its row. */
  readonly hint?: (item: Extract<SearchItem, { readonly kind: K }>) => string;
};

const KINDS: { readonly [K in SearchItem['kind']]: Kind<K> } = {
  user: {
    label: 'People',
    icon: 'users',
    target: ({ id }) => ({ to: '/users/$customUserId', params: { customUserId: id } }),
  },
  campaign: {
    label: 'Campaigns',
    icon: 'campaigns',
    target: ({ id }) => ({ to: '/campaigns/$campaignId', params: { campaignId: id } }),
    hint: ({ channel, status }) => `${channelName(channel)} · ${humanize(status)}`,
  },
  automation: {
    label: 'Automations',
    icon: 'automations',
    target: ({ id }) => ({ to: '/automations/$slug', params: { slug: id } }),
    hint: ({ status }) => humanize(status),
  },
  segment: {
    label: 'Segments',
    icon: 'segments',
    target: ({ id }) => ({ to: '/segments/$slug', params: { slug: id } }),
  },
  template: {
    label: 'Templates',
    icon: 'templates',
    target: ({ id }) => ({ to: '/templates/$slug', params: { slug: id } }),
    hint: ({ channel }) => channelName(channel),
  },
  delivery: {
    label: 'Messages sent',
    icon: 'mail',
    target: ({ campaignId, customUserId }) => ({
      to: '/campaigns/$campaignId',
      params: { campaignId },
      search: { tab: 'recipients', customUserId },
    }),
    hint: ({ channel, status }) => `${channelName(channel)} · ${humanize(status)}`,
  },
  request: {
    label: 'Requests',
    icon: 'ingest',
    target: ({ id, outcome }) =>
      outcome === 'accepted'
        ? { to: '/ingest/$requestId', params: { requestId: id } }
        : { to: '/ingest', search: { requestId: id } },
    hint: ({ outcome }) => humanize(outcome),
  },
  message: {
    label: 'Ingested messages',
    icon: 'events',
    target: ({ requestId, index }) => ({
      to: '/ingest/$requestId',
      params: { requestId },
      search: { message: String(index) },
    }),
    hint: ({ outcome }) => humanize(outcome),
  },
  webhookDelivery: {
    label: 'Webhook deliveries',
    icon: 'webhooks',
    target: ({ webhookId }) => ({ to: '/settings/webhooks/$webhookId', params: { webhookId } }),
    hint: ({ status }) => humanize(status),
  },
  deadLetter: {
    label: 'Dead letters',
    icon: 'letters',
    target: () => ({ to: '/settings/dead-letters' }),
  },
};

/** How an item is shown: its group, its icon, its page, and what stands at its end. */
export function describeItem(item: SearchItem): {
  readonly label: string;
  readonly icon: IconName;
  readonly target: Target;
  readonly hint: string | undefined;
} {
  const kind = KINDS[item.kind] as Kind<SearchItem['kind']>;
  return {
    label: kind.label,
    icon: kind.icon,
    target: kind.target(item as never),
    hint: kind.hint?.(item as never),
  };
}
