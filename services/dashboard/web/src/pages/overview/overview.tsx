import { CHANNELS } from '@tidings/contracts';
import { Link } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { Campaign, ChannelState, DeadLetter, IngestEntry, Webhook } from '../../api/types.ts';
import { formatCount, formatShare } from '../../lib/format.ts';
import { useNow } from '../../lib/now.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Callout, Card, Figure } from '../../ui/card.tsx';
import { LiveMark } from '../../ui/live-mark.tsx';
import { OutcomeBar } from '../../ui/outcome-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { channelName } from '../../words/names.ts';
import { FindCampaign } from '../campaigns/find-campaign.tsx';
import { titleOfCampaign } from '../campaigns/title.ts';
import { attentionOf } from './attention.ts';
import { figuresOf, type Overview } from './read-overview.ts';

const CAMPAIGNS_SHOWN = 8;
const SLOWLY_MS = 15_000;

export function OverviewPage() {
  useLive('overview', ['overview', 'campaigns']);
  const campaigns = useRead<Listed<Campaign>>('campaigns', { query: { limit: CAMPAIGNS_SHOWN } });
  const channels = useRead<Listed<ChannelState>>('channels', { query: { limit: CHANNELS.length }, everyMs: SLOWLY_MS });
  return (
    <Page title="Overview" description="What happens now, and what needs attention." actions={<LiveMark />}>
      <Card>
        <FindCampaign />
      </Card>
      <Figures campaigns={campaigns.data?.items ?? []} />
      <div className="columns">
        <Card title="Latest campaigns" actions={<Link to="/campaigns">All campaigns</Link>} isFlush>
          <Loaded read={campaigns}>{({ items }) => <Campaigns campaigns={items} />}</Loaded>
        </Card>
        <div className="stack">
          <NeedsAttention channels={channels.data?.items ?? []} campaigns={campaigns.data?.items ?? []} />
          <Card title="Channels" actions={<Link to="/channels">Set up</Link>} isFlush>
            <Loaded read={channels}>
              {({ items }) => (
                <Table<ChannelState>
                  label="Channels"
                  rows={items}
                  rowKey={({ channel }) => channel}
                  columns={[
                    { name: 'Channel', cell: ({ channel }) => <Link to="/channels/$channel" params={{ channel }}>{channelName(channel)}</Link> },
                    { name: 'State', isNumber: true, cell: ({ status, pause }) => <StatusBadge status={pause === undefined ? status : 'paused'} /> },
                  ]}
                />
              )}
            </Loaded>
          </Card>
        </div>
      </div>
    </Page>
  );
}

function Figures({ campaigns }: { readonly campaigns: readonly Campaign[] }) {
  const overview = useRead<Overview>('overview', { everyMs: SLOWLY_MS });
  const told = overview.data === undefined ? [] : figuresOf(overview.data);
  const sum = (pick: (campaign: Campaign) => number): number => campaigns.reduce((total, campaign) => total + pick(campaign), 0);
  const total = sum(({ counts }) => counts.total);
  return (
    <div className="grid narrow">
      {told.map(({ label, value, unit }) => (
        <Figure key={label} label={label} value={formatCount(value)} unit={unit} />
      ))}
      <Figure label="Successful" value={formatShare(sum(({ counts }) => counts.successful), total)} note={`of the last ${campaigns.length} campaigns`} />
      <Figure label="Recipients" value={formatCount(total)} note={`of the last ${campaigns.length} campaigns`} />
    </div>
  );
}

function Campaigns({ campaigns }: { readonly campaigns: readonly Campaign[] }) {
  if (campaigns.length === 0) {
    return (
      <Empty title="No campaigns yet" icon="campaigns" action={<Link to="/start">First steps</Link>}>
        The first steps lead from a key to a first message in the sandbox.
      </Empty>
    );
  }
  return (
    <Table<Campaign>
      label="Latest campaigns"
      rows={campaigns}
      rowKey={({ campaignId }) => campaignId}
      columns={[
        { name: 'Campaign', cell: (campaign) => (
            <>
              <Link to="/campaigns/$campaignId" params={{ campaignId: campaign.campaignId }} className="strong wrap">
                {titleOfCampaign(campaign)}
              </Link>
              <div className="soft small">
                {channelName(campaign.channel)} · <Time at={campaign.timing.createdAt} isRelative />
              </div>
            </>
          ) },
        { name: 'Status', width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
        { name: 'Outcomes', isMinor: true, width: '10rem', cell: ({ counts }) => <OutcomeBar counts={counts} isSmall /> },
      ]}
    />
  );
}

function NeedsAttention({ channels, campaigns }: { readonly channels: readonly ChannelState[]; readonly campaigns: readonly Campaign[] }) {
  const now = useNow();
  const letters = useRead<Listed<DeadLetter>>('dead-letters', { query: { status: 'waiting', limit: 50 }, everyMs: SLOWLY_MS });
  const webhooks = useRead<Listed<Webhook>>('webhooks', { everyMs: SLOWLY_MS });
  const refusals = useRead<Listed<IngestEntry>>('ingest', { query: { outcome: 'refused', limit: 50 }, everyMs: SLOWLY_MS });
  const items = attentionOf({ channels, campaigns, now, deadLetters: letters.data?.items ?? [], webhooks: webhooks.data?.items ?? [], refusals: refusals.data?.items ?? [] });
  return (
    <Card title="Needs attention">
      {items.length === 0 ? (
        <p className="soft">Nothing does.</p>
      ) : (
        <ul className="stack tight">
          {items.map(({ tone, text, to }) => (
            <li key={to + text}>
              <Callout tone={tone}>
                <Link to={to} className="wrap">
                  {text}
                </Link>
              </Callout>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
