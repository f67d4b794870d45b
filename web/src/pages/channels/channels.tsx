import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { ListedChannel, Overview } from '../../api/types.ts';
import { ChannelIcon } from '../../ui/channel-icon.tsx';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { ChannelBadge } from './channel-badge.tsx';

const NEXT: Readonly<Record<ListedChannel['status'], string>> = {
  not_configured: 'Set up',
  untested: 'Send a test',
  ready: 'Open',
};

const COLUMNS: readonly Column<ListedChannel>[] = [
  {
    name: 'Channel',
    cell: ({ channel }) => (
      <Link to="/channels/$channel" params={{ channel }} className="with-icon">
        <ChannelIcon channel={channel} />
        {channelName(channel)}
      </Link>
    ),
  },
  { name: 'State', width: '16rem', cell: (state) => <ChannelBadge channel={state} /> },
  {
    name: 'Use',
    isMinor: true,
    width: '24rem',
    cell: ({ channel }) => (
      <span className="soft">{CHANNEL_DESCRIPTORS[channel].labels.purpose}</span>
    ),
  },
  {
    name: 'Next',
    isMinor: true,
    isNumber: true,
    width: '9rem',
    cell: ({ channel, status }) => (
      <Link
        to="/channels/$channel"
        params={{ channel }}
        className="button small"
        aria-label={`${NEXT[status]}: ${channelName(channel)}`}
      >
        {NEXT[status]}
      </Link>
    ),
  },
];

export function ChannelsPage() {
  const read = useRead<Overview>('overview', { everyMs: 15_000 });
  const navigate = useNavigate();
  return (
    <Page title="Channels" isList>
      <Loaded read={read} lines={6}>
        {({ channels }) => (
          <Table
            label="Channels"
            columns={COLUMNS}
            rows={channels}
            rowKey={({ channel }) => channel}
            onOpen={({ channel }) =>
              void navigate({ to: '/channels/$channel', params: { channel } })
            }
            isLined
          />
        )}
      </Loaded>
    </Page>
  );
}
