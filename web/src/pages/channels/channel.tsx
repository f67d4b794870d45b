import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { ChannelAccount, ChannelState } from '../../api/types.ts';
import { useFilters } from '../../ui/filters.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { canSend } from './account.tsx';
import { ChannelBadge } from './channel-badge.tsx';
import { ChannelPeople } from './channel-people.tsx';
import { listAccounts } from './channel-draft.ts';
import { HealthCallout } from './health.tsx';
import { ChannelLimits } from './limits.tsx';
import { Obstacles } from './obstacles.tsx';
import { ChannelSettings } from './settings.tsx';

const TABS = [
  { id: 'settings', label: 'Settings and test' },
  { id: 'limits', label: 'Limits' },
] as const;

export function ChannelPage() {
  const { channel: written = '' } = useParams({ strict: false });
  const channel = CHANNELS.find((each) => each === written.toUpperCase());
  const back = <Link to="/channels">← Channels</Link>;
  if (channel === undefined) {
    return (
      <Page title="Channel not found" back={back}>
        <Empty title={`There is no channel named ${written}`} />
      </Page>
    );
  }
  return <KnownChannel channel={channel} />;
}

function KnownChannel({ channel }: { readonly channel: Channel }) {
  const read = useRead<ChannelState>(`channels/${channel}`, { everyMs: 10_000 });
  const filters = useFilters(['tab']);
  const tab = TABS.find(({ id }) => id === filters.get('tab'))?.id ?? 'settings';
  return (
    <Page
      title={channelName(channel)}
      back={<Link to="/channels">← Channels</Link>}
      description={read.data && <Progress state={read.data} />}
    >
      <Loaded read={read} lines={6}>
        {(state) => (
          <>
            <HealthCallout health={state.health} />
            <Problems state={state} />
            {state.status === 'ready' && <ChannelPeople channel={channel} />}
            <Tabs tabs={TABS} active={tab} label="Channel sections" />
            {tab === 'limits' ? (
              <ChannelLimits channel={channel} />
            ) : (
              <ChannelSettings key={channel} state={state} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Progress({ state }: { readonly state: ChannelState }) {
  const { status, testedAt } = state;
  const accounts = listAccounts(state);
  if (accounts.length > 1 && status === 'ready')
    return (
      <span className="row">
        <ChannelBadge channel={state} health={state.health} />
        {describeAccounts(accounts)}
      </span>
    );
  return (
    <span className="row">
      <ChannelBadge channel={state} health={state.health} />
      {status === 'not_configured' && 'Enter the settings to start sending.'}
      {status === 'untested' && 'Send a successful test to start sending.'}
      {status === 'ready' && testedAt != null && (
        <>
          Tested <Time at={testedAt} form="ago" />
        </>
      )}
    </span>
  );
}

function describeAccounts(accounts: readonly ChannelAccount[]): string {
  const sending = accounts.filter(canSend).length;
  if (sending === accounts.length) return `All ${sending} accounts can send.`;
  return sending === 0
    ? `None of ${accounts.length} accounts can send now. Messages are kept until one can.`
    : `${sending} of ${accounts.length} accounts can send.`;
}

/** What keeps the channel from sending. Each of several accounts says it itself. */
function Problems({ state }: { readonly state: ChannelState }) {
  if (listAccounts(state).length > 1) return null;
  return <Obstacles of={state} meanwhile="Messages are kept until then." />;
}
