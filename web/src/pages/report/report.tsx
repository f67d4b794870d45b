import { Link, useParams } from '@tanstack/react-router';
import { useLive } from '../../api/live.ts';
import { httpStatus } from '../../api/problem.ts';
import { useRead } from '../../api/queries.ts';
import type { Campaign, CampaignReport } from '../../api/types.ts';
import { readUuid } from '../../lib/ids.ts';
import { Card } from '../../ui/card.tsx';
import { CopyId } from '../../ui/copy-button.tsx';
import { useFilters } from '../../ui/filters.ts';
import { LiveBadge } from '../../ui/live-badge.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { channelName } from '../../labels/channel-name.ts';
import { CampaignStatus } from '../campaigns/campaign-status.tsx';
import { useCampaignTitle } from '../campaigns/use-campaign-title.ts';
import { CampaignActions } from './actions.tsx';
import { Duplicate } from '../campaigns/duplicate.tsx';
import { EventLog } from './event-log.tsx';
import { EmittedWebhooks } from './emitted-webhooks.tsx';
import { MessageCard } from './message-card.tsx';
import { Reschedule } from './reschedule.tsx';
import { Recipients } from './recipients.tsx';
import { SendNow } from './send-now.tsx';
import { Scheduled } from './scheduled.tsx';
import { Summary } from './summary.tsx';
import { WriteAgain } from './write-again.tsx';

const TABS = [
  { id: 'report', label: 'Report' },
  { id: 'recipients', label: 'Recipients' },
  { id: 'message', label: 'Message' },
  { id: 'log', label: 'Event log' },
  { id: 'webhooks', label: 'Webhooks' },
] as const;

export function ReportPage() {
  const { campaignId: written = '' } = useParams({ strict: false });
  const campaignId = readUuid(written) ?? written;
  const read = useRead<CampaignReport>(`campaigns/${encodeURIComponent(campaignId)}/report`);
  const campaign = read.data?.campaign;
  const title = useCampaignTitle(campaign);
  useLive(`campaign:${campaignId}`, [`campaigns/${campaignId}`]);
  const back = <Link to="/campaigns">← All campaigns</Link>;
  if (httpStatus(read.error) === 404) {
    return (
      <Page title="Campaign not found" back={back} isNarrow>
        <Card>
          <Empty title="This application has no campaign with this ID" icon="search">
            <code className="wrap">{campaignId}</code> may belong to another application: select it
            in the navigation. Or the ID is incomplete: the search at the left finds it by its name
            or title too.
          </Empty>
        </Card>
      </Page>
    );
  }
  return (
    <Page
      title={title}
      back={back}
      description={campaign && <Subtitle campaign={campaign} />}
      actions={
        campaign && (
          <>
            {campaign.status === 'scheduled' && (
              <>
                <Reschedule campaignId={campaign.campaignId} schedule={campaign.schedule} />
                <SendNow campaign={campaign} />
              </>
            )}
            <WriteAgain campaign={campaign} />
            <Duplicate campaignId={campaign.campaignId} />
            <CampaignActions campaign={campaign} />
          </>
        )
      }
    >
      <Loaded read={read} lines={6}>
        {(report) => <Report report={report} />}
      </Loaded>
    </Page>
  );
}

function Subtitle({ campaign }: { readonly campaign: Campaign }) {
  return (
    <span className="row">
      <CampaignStatus campaign={campaign} />
      <span>{channelName(campaign.channel)}</span>
      <LiveBadge />
      <CopyId id={campaign.campaignId} label="campaign ID" />
    </span>
  );
}

function Report({ report }: { readonly report: CampaignReport }) {
  const { campaign } = report;
  const filters = useFilters(['tab']);
  const tab = TABS.find(({ id }) => id === filters.get('tab'))?.id ?? 'report';
  return (
    <>
      <Tabs tabs={TABS} active={tab} label="Report sections" />
      {tab === 'report' &&
        (campaign.status === 'scheduled' && campaign.schedule !== null ? (
          <Scheduled report={report} schedule={campaign.schedule} />
        ) : (
          <Summary report={report} />
        ))}
      {tab === 'recipients' && (
        <Recipients campaign={campaign} hasAccounts={report.accounts.length > 0} />
      )}
      {tab === 'message' && <MessageCard campaign={campaign} />}
      {tab === 'log' && <EventLog campaign={campaign} />}
      {tab === 'webhooks' && <EmittedWebhooks campaignId={campaign.campaignId} />}
    </>
  );
}
