import { Link } from '@tanstack/react-router';
import type { ListedChannel, Overview } from '../../api/types.ts';
import { formatCount } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { OutcomeBar } from '../../ui/outcome-bar.tsx';
import { Table } from '../../ui/table.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { FailingLine } from '../channels/health.tsx';
import { ChannelBadge } from '../channels/channel-badge.tsx';

/** The state of each channel and its outcomes in the last 24 hours. */
export function ChannelsCard({
  overview: { channels, outcomes },
}: {
  readonly overview: Overview;
}) {
  const sums = new Map(outcomes.lastDay.channels.map((row) => [row.channel, row]));
  return (
    <Card title="Channels" actions={<Link to="/channels">Manage channels</Link>} isFlush>
      <Table<ListedChannel>
        label="Channels"
        rows={channels}
        rowKey={({ channel }) => channel}
        columns={[
          {
            name: 'Channel',
            cell: ({ channel, health }) => (
              <>
                <Link to="/channels/$channel" params={{ channel }}>
                  {channelName(channel)}
                </Link>
                <div className="small">
                  <FailingLine health={health} />
                </div>
              </>
            ),
          },
          {
            name: '24 hours',
            cell: ({ channel }) => {
              const counts = sums.get(channel);
              if (counts === undefined) return <span className="soft">No messages</span>;
              return (
                <>
                  <OutcomeBar
                    channel={channel}
                    counts={counts}
                    notReachable={counts.notReachable}
                    isSmall
                  />
                  <div className="soft small">
                    {formatCount(counts.total)} {counts.total === 1 ? 'recipient' : 'recipients'}
                  </div>
                </>
              );
            },
          },
          {
            name: 'Last hour',
            isNumber: true,
            cell: (channel) => <ChannelBadge channel={channel} health={channel.health} />,
          },
        ]}
      />
    </Card>
  );
}
