import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { ListedChannel, Overview } from '../../api/types.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { ChannelBadge } from './channel-badge.tsx';

const NEXT: Readonly<Record<ListedChannel['status'], string>> = {
  not_configured: 'Set up',
  untested: 'Send a test',
  ready: 'Open',
};

export function ChannelsPage() {
  const read = useRead<Overview>('overview', { everyMs: 15_000 });
  return (
    <Page
      title="Channels"
      description="A channel is ready once it is configured and a test send has succeeded."
    >
      <Loaded read={read} lines={6}>
        {({ channels }) => (
          <ul className="grid">
            {channels.map((state) => (
              <Tile key={state.channel} state={state} />
            ))}
          </ul>
        )}
      </Loaded>
    </Page>
  );
}

function Tile({ state }: { readonly state: ListedChannel }) {
  const { channel, status } = state;
  return (
    <li className="card">
      <div className="inside">
        <div className="row between">
          <h2>{channelName(channel)}</h2>
          <ChannelBadge channel={state} />
        </div>
        <p className="soft">{CHANNEL_DESCRIPTORS[channel].labels.purpose}</p>
        <Link
          to="/channels/$channel"
          params={{ channel }}
          className="button"
          aria-label={`${NEXT[status]}: ${channelName(channel)}`}
        >
          {NEXT[status]}
        </Link>
      </div>
    </li>
  );
}
