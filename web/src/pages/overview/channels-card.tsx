import { Link } from '@tanstack/react-router';
import type { ListedChannel, Overview } from '../../api/types.ts';
import { formatCount } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { OutcomeBar } from '../../ui/outcome-bar.tsx';
import { Table } from '../../ui/table.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { ChannelBadge } from '../channels/channel-badge.tsx';

/** Whether each channel sends, and what became of what it was to send in a day. */
export function ChannelsCard({
  overview: { channels, outcomes },
}: {
  readonly overview: Overview;
}) {
  const sums = new Map(outcomes.lastDay.channels.map((row) => [row.channel, row]));
  return (
    <Card title="Channels" actions={<Link to="/channels">Set up</Link>} isFlush>
      <Table<ListedChannel>
        label="Channels"
        rows={channels}
        rowKey={({ channel }) => channel}
        columns={[
          {
            name: 'Channel',
            cell: ({ channel }) => (
              <Link to="/channels/$channel" params={{ channel }}>
                {channelName(channel)}
              </Link>
            ),
          },
          {
            name: '24 hours',
            cell: ({ channel }) => {
              const counts = sums.get(channel);
              if (counts === undefined) return <span className="soft">Nothing</span>;
              return (
                <>
                  <OutcomeBar counts={counts} notReachable={counts.notReachable} isSmall />
                  <div className="soft small">
                    {formatCount(counts.total)} {counts.total === 1 ? 'recipient' : 'recipients'}
                  </div>
                </>
              );
            },
          },
          { name: 'State', isNumber: true, cell: (channel) => <ChannelBadge channel={channel} /> },
        ]}
      />
    </Card>
  );
}
