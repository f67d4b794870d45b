import { CHANNELS } from '@tidings/contracts/channels/channels';
import { CAMPAIGN_SOURCES } from '@tidings/contracts/push/campaigns';
import { Link, useNavigate } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { useMay } from '../../api/roles.ts';
import type { Campaign } from '../../api/types.ts';
import { channelName } from '../../labels/channel-name.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { toOptions } from '../../ui/options.ts';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty } from '../../ui/states.tsx';
import { Views } from '../../ui/views.tsx';
import { CampaignActions } from '../report/actions.tsx';
import { DRAFT_VIEW, DraftList } from './draft-list.tsx';
import { Duplicate } from './duplicate.tsx';
import { CAMPAIGN_COLUMNS, noteOf } from './campaign-columns.tsx';
import { FirstEmpty } from '../../ui/first-empty.tsx';

const VIEWS = [
  { value: '', label: 'All' },
  { value: DRAFT_VIEW, label: 'Drafts' },
  { value: 'scheduled', label: 'Scheduled' },
  { value: 'sending', label: 'Running' },
  { value: 'paused', label: 'Paused' },
  { value: 'completed', label: 'Sent' },
  { value: 'canceled', label: 'Canceled' },
  { value: 'failed', label: 'Failed' },
] as const;

export function CampaignsPage() {
  const filters = useFilters(['status', 'channel', 'source', 'q']);
  const isDrafts = filters.get('status') === DRAFT_VIEW;
  const navigate = useNavigate();
  const mayCompose = useMay('compose');
  useLive('overview', ['campaigns']);
  return (
    <Page
      title="Campaigns"
      isList
      actions={
        <>
          {!isDrafts && <SearchField label="Name, title or id" {...filters.field('q')} />}
          {mayCompose && (
            <Link to="/compose" className={buttonClass('primary')}>
              New campaign
            </Link>
          )}
        </>
      }
    >
      <FilterBar>
        <Views label="Campaigns shown" views={VIEWS} {...filters.field('status')} />
        {!isDrafts && (
          <>
            <ChoiceFilter
              label="Channel"
              {...filters.field('channel')}
              options={toOptions(CHANNELS, 'All channels', channelName)}
            />
            <ChoiceFilter
              label="Source"
              {...filters.field('source')}
              options={toOptions(CAMPAIGN_SOURCES, 'All sources')}
            />
          </>
        )}
      </FilterBar>
      {isDrafts ? (
        <DraftList />
      ) : (
        <List<Campaign>
          label="Campaigns"
          path="campaigns"
          query={filters.values}
          columns={CAMPAIGN_COLUMNS}
          rowKey={({ campaignId }) => campaignId}
          onOpen={({ campaignId }) =>
            void navigate({ to: '/campaigns/$campaignId', params: { campaignId } })
          }
          isLined
          isLive
          note={noteOf}
          actions={
            mayCompose
              ? (campaign) => (
                  <>
                    <CampaignActions campaign={campaign} isSmall />
                    <Duplicate campaignId={campaign.campaignId} isSmall />
                  </>
                )
              : undefined
          }
          fileName="campaigns.csv"
          empty={
            filters.isAny ? (
              <Empty
                title={
                  filters.get('q') === ''
                    ? 'No matching campaigns'
                    : `No campaign is called “${filters.get('q')}”`
                }
                icon="search"
                action={<Button onClick={filters.clear}>Clear filters</Button>}
              />
            ) : (
              <FirstEmpty
                title="No campaigns yet"
                ghost={[
                  ['Autumn catalogue', 'E-mail', '18,000 sent', '41.2 % opened', '2 h'],
                  ['Your order is on its way', 'SMS', '1 sent', '100 % delivered', '3 h'],
                  ['Last chance', 'Web push', '9,310 sent', '6.3 % clicked', 'Nov 26'],
                ]}
                call={{
                  path: '/push',
                  body: `{
    "recipients": ["ada"],
    "channel": "EMAIL",
    "purpose": "transactional",
    "message": { "title": "Hello", "body": "Hello from the API" }
  }`,
                }}
                action={
                  mayCompose && (
                    <Link to="/compose" className={buttonClass('primary')}>
                      New campaign
                    </Link>
                  )
                }
              >
                Every accepted push is a campaign, from here or by <code>POST /push</code>. Its
                report shows the outcome for each recipient, and the reason.
              </FirstEmpty>
            )
          }
        />
      )}
    </Page>
  );
}
