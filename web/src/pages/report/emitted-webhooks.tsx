import { Link } from '@tanstack/react-router';
import type { CampaignWebhook } from '../../api/types.ts';
import { Card } from '../../ui/card.tsx';
import { StatusBadge } from '../../ui/badge.tsx';
import { ATTEMPTS_COLUMN, timeColumn } from '../../ui/columns.tsx';
import { List } from '../../ui/list.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { UserLink } from '../../ui/user-link.tsx';

const COLUMNS: readonly Column<CampaignWebhook>[] = [
  { name: 'Event', cell: ({ type }) => <code>{type}</code> },
  {
    name: 'Endpoint',
    isMinor: true,
    cell: ({ webhookId, url }) => (
      <Link to="/settings/webhooks/$webhookId" params={{ webhookId }} {...clampProps(url)}>
        {url}
      </Link>
    ),
  },
  {
    name: 'Recipient',
    isMinor: true,
    cell: ({ customUserId }) => <UserLink customUserId={customUserId} />,
  },
  { name: 'Status', width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
  ATTEMPTS_COLUMN,
  timeColumn('Occurred', ({ occurredAt }) => occurredAt),
];

/** The webhook events that were sent for this campaign. */
export function EmittedWebhooks({ campaignId }: { readonly campaignId: string }) {
  return (
    <Card
      title="Webhook events"
      description="Every event and the endpoint that received it, oldest first."
      isFlush
    >
      <List<CampaignWebhook>
        label="Webhooks of the campaign"
        path={`campaigns/${campaignId}/webhooks`}
        columns={COLUMNS}
        rowKey={({ id }) => id}
        fileName={`campaign-${campaignId}-webhooks.csv`}
        empty={
          <Empty
            title="No webhook events"
            icon="channels"
            action={<Link to="/settings/webhooks">Webhook endpoints</Link>}
          >
            An endpoint receives a signed event for every change of a campaign after the endpoint
            was created.
          </Empty>
        }
      />
    </Card>
  );
}
