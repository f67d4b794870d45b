import { CHANNELS, type Channel } from '@tidings/contracts/channels/channels';
import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { ChannelState } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Callout } from '../../ui/card.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/time.tsx';
import { explain, explainDelivery, shownRemedy } from '../../labels/explain.ts';
import { channelName } from '../../labels/channel-name.ts';
import { ChannelLimits } from './limits.tsx';
import { SettingsForm } from './settings-form.tsx';
import { TestSend } from './test-send.tsx';

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
            <Problems state={state} />
            <Tabs tabs={TABS} active={tab} label="Channel sections" />
            {tab === 'limits' ? (
              <ChannelLimits channel={channel} />
            ) : (
              <div className="columns">
                <SettingsForm key={channel} state={state} />
                <TestSend state={state} />
              </div>
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Progress({ state: { status, testedAt } }: { readonly state: ChannelState }) {
  return (
    <span className="row">
      <StatusBadge status={status} />
      {status === 'not_configured' && 'Enter the settings to start sending.'}
      {status === 'untested' && 'Send a successful test to start sending.'}
      {status === 'ready' && testedAt != null && (
        <>
          Tested <Time at={testedAt} isRelative />
        </>
      )}
    </span>
  );
}

function Problems({ state: { pause, breaker } }: { readonly state: ChannelState }) {
  return (
    <>
      {pause !== undefined && (
        <Callout tone="bad">
          <strong>
            Paused since <Time at={pause.pausedAt} />: {humanize(pause.reason)}
          </strong>
          <p>
            {explainDelivery(pause.reason).summary} {shownRemedy(explainDelivery(pause.reason))}{' '}
            Messages are kept until then.
          </p>
          {(pause.providerCode !== undefined || pause.providerMessage !== undefined) && (
            <p className="small">
              Provider response:{' '}
              <code className="wrap">
                {[pause.providerCode, pause.providerMessage].filter(Boolean).join(' ')}
              </code>
            </p>
          )}
        </Callout>
      )}
      {breaker !== undefined && (
        <Callout tone="warn">
          <strong>{explain('breaker', breaker.cause).summary}</strong>
          <p>
            {shownRemedy(explain('breaker', breaker.cause))} Paused automatically since{' '}
            <Time at={breaker.openedAt} />; next try <Time at={breaker.probeAt} />. Messages are
            kept until then.
          </p>
        </Callout>
      )}
    </>
  );
}
