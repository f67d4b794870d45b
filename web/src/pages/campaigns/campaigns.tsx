import { CHANNELS } from '@tidings/contracts/channels/channels';
import { CAMPAIGN_SOURCES, CAMPAIGN_STATUSES } from '@tidings/contracts/push/campaigns';
import { Link, useNavigate } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { shortId } from '../../lib/ids.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { timeColumn } from '../../ui/columns.tsx';
import { Select } from '../../ui/field.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { LiveBadge } from '../../ui/live-badge.tsx';
import { toOptions } from '../../ui/options.ts';
import { OutcomeBar } from '../../ui/outcome-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { CampaignLink, CampaignStatus, SuccessRate } from './campaign-status.tsx';
import { FindCampaign } from './find-campaign.tsx';
import { ScheduledFor } from './schedule-time.tsx';

const COLUMNS: readonly Column<Campaign>[] = [
  {
    name: 'Campaign',
    cell: (campaign) => (
      <>
        <CampaignLink campaign={campaign} />
        <div className="soft small">
          {channelName(campaign.channel)} ·{' '}
          <code title={campaign.campaignId}>{shortId(campaign.campaignId)}</code>
        </div>
      </>
    ),
  },
  {
    name: 'Status',
    cell: (campaign) => (
      <>
        <CampaignStatus campaign={campaign} />
        <ScheduledFor campaign={campaign} />
      </>
    ),
    width: '11rem',
  },
  {
    name: 'Successful',
    isNumber: true,
    isMinor: true,
    width: '9rem',
    cell: (campaign) => <SuccessRate campaign={campaign} />,
  },
  {
    name: 'Outcomes',
    cell: ({ counts, result }) => (
      <OutcomeBar counts={counts} notReachable={result.notReachable} isSmall />
    ),
    isMinor: true,
    width: '11rem',
  },
  timeColumn('Created', ({ timing }) => timing.createdAt),
  { name: 'Source', cell: ({ source }) => humanize(source), isMinor: true, width: '7rem' },
];

export function CampaignsPage() {
  const filters = useFilters(['channel', 'status', 'source']);
  const navigate = useNavigate();
  const mayCompose = useMay('compose');
  useLive('overview', ['campaigns']);
  return (
    <Page
      title="Campaigns"
      description="Every accepted push is a campaign. Its report shows the outcome for each recipient, and the reason."
      actions={
        mayCompose && (
          <Link to="/compose" className={buttonClass('primary')}>
            Compose
          </Link>
        )
      }
    >
      <Card>
        <FindCampaign />
      </Card>
      <Card title="All campaigns" actions={<LiveBadge />} isFlush>
        <FilterBar>
          <Select
            label="Channel"
            {...filters.field('channel')}
            options={toOptions(CHANNELS, 'All channels', channelName)}
          />
          <Select
            label="Status"
            {...filters.field('status')}
            options={toOptions(CAMPAIGN_STATUSES, 'All statuses')}
          />
          <Select
            label="Source"
            {...filters.field('source')}
            options={toOptions(CAMPAIGN_SOURCES, 'All sources')}
          />
        </FilterBar>
        <List<Campaign>
          label="Campaigns"
          path="campaigns"
          query={filters.values}
          columns={COLUMNS}
          rowKey={({ campaignId }) => campaignId}
          onOpen={({ campaignId }) =>
            void navigate({ to: '/campaigns/$campaignId', params: { campaignId } })
          }
          fileName="campaigns.csv"
          empty={
            filters.isAny ? (
              <Empty
                title="No matching campaigns"
                icon="search"
                action={<Button onClick={filters.clear}>Clear filters</Button>}
              ></Empty>
            ) : (
              <Empty title="No campaigns yet" icon="campaigns">
                {mayCompose ? 'Compose one here, or send one with ' : 'Send one with '}
                <code>POST /push</code>.
              </Empty>
            )
          }
        />
      </Card>
    </Page>
  );
}
