import { Link, useNavigate } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { Campaign, Overview } from '../../api/types.ts';
import { counted, formatCount, formatShare } from '../../lib/format.ts';
import { Callout, Card, Figure } from '../../ui/card.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { LiveBadge } from '../../ui/live-badge.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { OutcomeBar } from '../../ui/outcome-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { CampaignLink, CampaignStatus } from '../campaigns/campaign-status.tsx';
import { ScheduledFor } from '../campaigns/schedule-time.tsx';
import { StillCounting } from '../events/chart-notes.tsx';
import { countingBefore } from '../events/span.ts';
import { CampaignActions } from '../report/actions.tsx';
import { stepsDone } from '../start/steps.ts';
import { describeAttention } from './attention.ts';
import { ChannelsCard } from './channels-card.tsx';

const CAMPAIGNS_SHOWN = 8;
/** Tests of channels are left out. */
const CAMPAIGNS_READ = 3 * CAMPAIGNS_SHOWN;
const REFRESH_MS = 15_000;

export function OverviewPage() {
  useLive('overview', ['overview', 'campaigns']);
  const overview = useRead<Overview>('overview', { everyMs: REFRESH_MS });
  const campaigns = useRead<Listed<Campaign>>('campaigns', { query: { limit: CAMPAIGNS_READ } });
  return (
    <Page
      title="Overview"
      description="Current activity, and what needs your attention."
      actions={<LiveBadge />}
    >
      {overview.data !== undefined && <FirstSteps steps={overview.data.firstSteps} />}
      <Loaded read={overview}>{(known) => <Figures overview={known} />}</Loaded>
      <div className="columns">
        <div className="stack">
          {overview.data !== undefined && <EventsCard events={overview.data.events} />}
          <Card
            title="Latest campaigns"
            actions={<Link to="/campaigns">All campaigns</Link>}
            isFlush
          >
            <Loaded read={campaigns}>
              {({ items }) => (
                <Campaigns
                  campaigns={items
                    .filter(({ source }) => source !== 'test')
                    .slice(0, CAMPAIGNS_SHOWN)}
                />
              )}
            </Loaded>
          </Card>
        </div>
        <div className="stack">
          {overview.data !== undefined && <NeedsAttention items={overview.data.attention} />}
          {overview.data !== undefined && <ChannelsCard overview={overview.data} />}
        </div>
      </div>
    </Page>
  );
}

/** The progress of the first steps; hidden once all are done. */
function FirstSteps({ steps }: { readonly steps: Overview['firstSteps'] }) {
  const all = Object.values(stepsDone(steps));
  const done = all.filter(Boolean).length;
  if (done === all.length) return null;
  return (
    <Callout>
      <div className="row between">
        <span>
          <strong>
            {done} of {all.length} first steps done.
          </strong>{' '}
          From an API key to your first delivered message.
        </span>
        <Link to="/start">Continue</Link>
      </div>
    </Callout>
  );
}

function Figures({ overview: { ingest, backlog, outcomes } }: { readonly overview: Overview }) {
  // The current minute is incomplete.
  const minute = ingest.perMinute.at(-2);
  const lag = ingest.lag === null ? null : Math.max(...Object.values(ingest.lag));
  const { channels, campaigns } = outcomes.lastDay;
  const sum = (pick: (channel: (typeof channels)[number]) => number): number =>
    channels.reduce((total, channel) => total + pick(channel), 0);
  const attempted = sum((channel) => channel.attempted);
  const notReachable = sum((channel) => channel.notReachable);
  const sent = `${counted(campaigns, 'campaign', 'campaigns')} in 24 hours`;
  return (
    <div className="grid narrow">
      <Figure
        label="Incoming events"
        value={formatCount(minute?.messages ?? 0)}
        unit="in the last minute"
        note={
          minute !== undefined && minute.refused > 0
            ? `${counted(minute.refused, 'request', 'requests')} rejected`
            : undefined
        }
      />
      <Figure
        label="Processing backlog"
        value={lag === null ? '–' : formatCount(lag)}
        unit="records"
        note={lag === null ? 'Kafka is not responding' : 'in all applications'}
      />
      <Figure
        label="Messages queued"
        value={formatCount(backlog.deliveries)}
        unit="messages"
        note={
          backlog.since === null ? undefined : (
            <>
              oldest <Time at={backlog.since} form="ago" />
            </>
          )
        }
      />
      <Figure
        label="Successful"
        value={formatShare(
          sum(({ successful }) => successful),
          attempted,
        )}
        unit={`of ${counted(attempted, 'attempt', 'attempts')}`}
        note={
          notReachable === 0
            ? sent
            : `${sent}, ${counted(notReachable, 'recipient', 'recipients')} not reached`
        }
      />
    </div>
  );
}

/** Events per hour by event time. The ingest log has the chart by arrival. */
function EventsCard({ events: { timeZone, perHour, countedFrom } }: Pick<Overview, 'events'>) {
  const before = countingBefore(countedFrom, perHour);
  return (
    <Card
      title="Events"
      description="Events per hour over the last 24 hours, by event time."
      actions={<Link to="/events">All events</Link>}
    >
      {perHour.every(({ events }) => events === 0) ? (
        <p className="soft">
          {before === null
            ? 'No events in the last 24 hours.'
            : 'No events of the last 24 hours are counted yet.'}
        </p>
      ) : (
        <LazyChart
          label="Events"
          unit="events per hour"
          basis="event time"
          timeZone={timeZone}
          times={perHour.map(({ at }) => at)}
          series={[{ name: 'Events', values: perHour.map(({ events }) => events) }]}
        />
      )}
      <StillCounting before={before} />
    </Card>
  );
}

function Campaigns({ campaigns }: { readonly campaigns: readonly Campaign[] }) {
  const navigate = useNavigate();
  if (campaigns.length === 0) {
    return (
      <Empty
        title="No campaigns yet"
        icon="campaigns"
        action={<Link to="/start">First steps</Link>}
      >
        Follow the first steps to send a test message to the sandbox.
      </Empty>
    );
  }
  return (
    <Table<Campaign>
      label="Latest campaigns"
      rows={campaigns}
      rowKey={({ campaignId }) => campaignId}
      onOpen={({ campaignId }) =>
        void navigate({ to: '/campaigns/$campaignId', params: { campaignId } })
      }
      actions={(campaign) => <CampaignActions campaign={campaign} isSmall />}
      columns={[
        {
          name: 'Campaign',
          cell: (campaign) => (
            <>
              <CampaignLink campaign={campaign} />
              <div className="soft small">
                {channelName(campaign.channel)} · <Time at={campaign.timing.createdAt} form="ago" />
              </div>
            </>
          ),
        },
        {
          name: 'Status',
          width: '8rem',
          cell: (campaign) => (
            <>
              <CampaignStatus campaign={campaign} />
              <ScheduledFor campaign={campaign} />
            </>
          ),
        },
        {
          name: 'Outcomes',
          isMinor: true,
          width: '10rem',
          cell: ({ channel, counts, result }) => (
            <OutcomeBar
              channel={channel}
              counts={counts}
              notReachable={result.notReachable}
              isSmall
            />
          ),
        },
      ]}
    />
  );
}

function NeedsAttention({ items }: { readonly items: Overview['attention'] }) {
  return (
    <Card title="Needs attention">
      {items.length === 0 ? (
        <p className="soft">All clear</p>
      ) : (
        <ul className="stack tight">
          {items.map((item) => {
            const { tone, about, summary, remedy, to } = describeAttention(item);
            return (
              <li key={`${item.kind} ${to} ${about}`}>
                <Callout tone={tone}>
                  <strong>
                    <Link to={to} {...clampProps(about)}>
                      {about}
                    </Link>
                  </strong>
                  <span className="small">
                    {summary} {remedy}
                    {item.at !== null && (
                      <span className="soft">
                        {' '}
                        <Time at={item.at} form="ago" />
                      </span>
                    )}
                  </span>
                </Callout>
              </li>
            );
          })}
        </ul>
      )}
    </Card>
  );
}
