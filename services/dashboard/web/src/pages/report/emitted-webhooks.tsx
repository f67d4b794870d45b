import { Link } from '@tanstack/react-router';
import { useList, useRead, type Page } from '../../api/queries.ts';
import type { Webhook, WebhookDelivery } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { textOf } from '../../lib/text.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

const ROWS_LOOKED_AT = 500;

/** What the application's endpoints were told of this campaign, of the last events of each. */
export function EmittedWebhooks({ campaignId }: { readonly campaignId: string }) {
  const webhooks = useRead<Page<Webhook>>('webhooks');
  return (
    <Loaded read={webhooks}>
      {({ items }) =>
        items.length === 0 ? (
          <Card>
            <Empty title="No webhook endpoints" icon="channels" action={<Link to="/settings/webhooks">Add an endpoint</Link>}>
              An endpoint is told of every change of a campaign, signed, as it happens.
            </Empty>
          </Card>
        ) : (
          <>
            {items.map((webhook) => (
              <Endpoint key={webhook.id} webhook={webhook} campaignId={campaignId} />
            ))}
          </>
        )
      }
    </Loaded>
  );
}

function Endpoint({ webhook, campaignId }: { readonly webhook: Webhook; readonly campaignId: string }) {
  const list = useList<WebhookDelivery>(`webhooks/${webhook.id}/deliveries`, { rows: ROWS_LOOKED_AT });
  const rows = list.data?.pages.flatMap(({ items }) => items).filter(({ data }) => data['campaignId'] === campaignId) ?? [];
  return (
    <Card title={<span className="wrap">{webhook.url}</span>} description={`Of this campaign, among the last ${ROWS_LOOKED_AT} events of the endpoint.`} actions={<StatusBadge status={webhook.status} />} isFlush>
      {rows.length === 0 ? (
        <Empty title={list.isPending ? 'Looking…' : 'Nothing of this campaign'} />
      ) : (
        <Table<WebhookDelivery>
          label={`Events for ${webhook.url}`}
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            { name: 'Event', cell: ({ type }) => <code>{type}</code> },
            { name: 'Recipient', isMinor: true, cell: ({ data }) => textOf(data['customUserId']) || '–' },
            { name: 'State', cell: ({ status }) => <StatusBadge status={status} /> },
            { name: 'Reason', isMinor: true, cell: ({ reason }) => (reason === null ? '–' : humanize(reason)) },
            { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
            { name: 'Occurred', isMinor: true, cell: ({ occurredAt }) => <Time at={occurredAt} /> },
          ]}
        />
      )}
    </Card>
  );
}
