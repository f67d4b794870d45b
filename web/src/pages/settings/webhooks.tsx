import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/roles.ts';
import type { Webhook, WebhookWithSecret } from '../../api/types.ts';
import { counted, humanize } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Page } from '../../ui/page.tsx';
import { List } from '../../ui/list.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { EndpointBadge } from './endpoint-badge.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookForm } from './webhook-form.tsx';

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: 'Endpoint',
    cell: ({ id, url, description }) => (
      <>
        <Link to="/settings/webhooks/$webhookId" params={{ webhookId: id }} {...clampProps(url)}>
          {url}
        </Link>
        <div className="soft small wrap" dir="auto">
          {description}
        </div>
      </>
    ),
  },
  {
    name: 'Status',
    width: '9rem',
    cell: (webhook) => (
      <>
        <EndpointBadge webhook={webhook} />
        {webhook.disabledReason !== null && (
          <div className="soft small">{humanize(webhook.disabledReason)}</div>
        )}
      </>
    ),
  },
  {
    name: 'Events',
    isMinor: true,
    cell: ({ kinds, channels }) => (
      <span className="small">
        {[
          kinds.length === 0 ? 'All events' : counted(kinds.length, 'event type', 'event types'),
          channels.length === 0 ? 'all channels' : channels.join(', '),
        ].join('; ')}
      </span>
    ),
  },
];

export function WebhooksPage() {
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<WebhookWithSecret | null>(null);
  const may = useMay('changeWebhooks');
  const navigate = useNavigate();
  const create = may && (
    <Button kind="primary" onClick={() => setCreating(true)}>
      New endpoint
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      description="Your systems receive a signed request for every change of a campaign. Failed requests are retried."
      actions={create}
    >
      <Card isFlush>
        <List<Webhook>
          label="Webhook endpoints"
          path="webhooks"
          columns={COLUMNS}
          rowKey={({ id }) => id}
          fileName="webhooks.csv"
          onOpen={({ id }) =>
            void navigate({ to: '/settings/webhooks/$webhookId', params: { webhookId: id } })
          }
          empty={
            <Empty title="No endpoints yet" icon="channels" action={create}>
              Add the URL that should receive events.
            </Empty>
          }
        />
      </Card>
      {isCreating && (
        <WebhookForm
          onClose={() => setCreating(false)}
          onSaved={(webhook) => {
            setCreating(false);
            if (webhook.secret !== undefined) setCreated({ ...webhook, secret: webhook.secret });
          }}
        />
      )}
      {created !== null && (
        <SecretDialog
          title="Endpoint secret"
          secret={created.secret}
          label="secret"
          onClose={() => setCreated(null)}
        >
          <p className="soft small">
            Use it to verify the webhook-signature header of each request (Standard Webhooks).
          </p>
        </SecretDialog>
      )}
    </Page>
  );
}
