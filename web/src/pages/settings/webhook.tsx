import { WEBHOOK_DELIVERY_STATES, WEBHOOK_ROTATION_HOURS } from '@tidings/contracts/webhooks';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { errorMessage } from '../../api/problem.ts';
import { useChange, useRead, type Page as Listed } from '../../api/queries.ts';
import { useMay } from '../../api/roles.ts';
import type { Webhook, WebhookWithSecret } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Card, Facts } from '../../ui/card.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { toOptions } from '../../ui/options.ts';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { explain } from '../../labels/explain.ts';
import { EndpointBadge } from './endpoint-badge.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookForm } from './webhook-form.tsx';

export function WebhookPage() {
  const { webhookId = '' } = useParams({ strict: false });
  const read = useRead<Listed<Webhook>>('webhooks');
  const back = <Link to="/settings/webhooks">← Webhooks</Link>;
  return (
    <Loaded read={read}>
      {({ items }) => {
        const webhook = items.find(({ id }) => id === webhookId);
        return webhook === undefined ? (
          <Page title="Endpoint not found" back={back}>
            <Empty title="This endpoint does not exist" icon="search">
              It may have been deleted.
            </Empty>
          </Page>
        ) : (
          <KnownWebhook webhook={webhook} back={back} />
        );
      }}
    </Loaded>
  );
}

function KnownWebhook({ webhook, back }: { readonly webhook: Webhook; readonly back: ReactNode }) {
  const filters = useFilters(['status']);
  const may = useMay('changeWebhooks');
  const disabled = explain('webhookDisabled', webhook.disabledReason ?? '');
  return (
    <Page
      title={webhook.url}
      back={back}
      description={<span dir="auto">{webhook.description}</span>}
      actions={may && <Actions webhook={webhook} />}
    >
      {webhook.status === 'disabled' && (
        <Callout tone="bad">
          <strong>
            Disabled since <Time at={webhook.disabledAt} />:{' '}
            {humanize(webhook.disabledReason ?? '')}
          </strong>
          <p>
            {disabled.summary} {disabled.remedy} Missed events can be replayed once it is enabled.
          </p>
        </Callout>
      )}
      <Card title="Endpoint" actions={<EndpointBadge webhook={webhook} />}>
        <Facts
          facts={[
            ['Events', webhook.kinds.join(', ') || 'All'],
            ['Channels', webhook.channels.join(', ') || 'All'],
            ['Previous secret valid until', <Time at={webhook.previousSecretUntil} />],
            ['Created', <Time at={webhook.createdAt} />],
          ]}
        />
      </Card>
      <Card title="Deliveries" description="Last 30 days, newest first." isFlush>
        <FilterBar>
          <ChoiceFilter
            label="Status"
            {...filters.field('status')}
            options={toOptions(WEBHOOK_DELIVERY_STATES, 'All statuses')}
          />
        </FilterBar>
        <WebhookDeliveries
          webhookId={webhook.id}
          query={filters.values}
          mayReplay={may && webhook.status === 'enabled'}
        />
      </Card>
    </Page>
  );
}

type TestAnswer = {
  readonly ok: boolean;
  readonly status: string;
  readonly statusCode?: number;
  readonly error?: string;
};

function Actions({ webhook }: { readonly webhook: Webhook }) {
  const [dialog, setDialog] = useState<'change' | 'rotate' | 'delete' | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const navigate = useNavigate();
  const path = `webhooks/${webhook.id}`;
  const test = useChange<void, TestAnswer>(
    () => ({ path: `${path}/test`, method: 'POST' }),
    ['webhooks'],
  );
  const toggle = useChange<void>(
    () => ({ path, method: 'PATCH', body: { enabled: webhook.status === 'disabled' } }),
    ['webhooks'],
  );
  const rotate = useChange<void, WebhookWithSecret>(
    () => ({ path: `${path}/rotate-secret`, method: 'POST' }),
    ['webhooks'],
  );
  const remove = useChange<void>(() => ({ path, method: 'DELETE' }), ['webhooks']);
  const showError = (error: Error): void => showToast(errorMessage(error), 'bad');
  const tested = ({ ok, status, statusCode, error }: TestAnswer): void =>
    showToast(
      ok
        ? `Test event accepted: ${statusCode ?? ''}`
        : `Endpoint rejected it: ${statusCode ?? humanize(error ?? status)}`,
      ok ? 'good' : 'bad',
    );
  const close = (): void => setDialog(null);
  return (
    <>
      <Button
        isBusy={test.isPending}
        disabled={webhook.status === 'disabled'}
        onClick={() => test.mutate(undefined, { onSuccess: tested, onError: showError })}
      >
        Send test event
      </Button>
      <Button onClick={() => setDialog('change')}>Edit</Button>
      <Button onClick={() => setDialog('rotate')}>New secret</Button>
      <Button
        isBusy={toggle.isPending}
        onClick={() => toggle.mutate(undefined, { onError: showError })}
      >
        {webhook.status === 'enabled' ? 'Disable' : 'Enable'}
      </Button>
      <Button kind="danger" onClick={() => setDialog('delete')}>
        Delete
      </Button>
      {dialog === 'change' && <WebhookForm webhook={webhook} onClose={close} onSaved={close} />}
      {dialog === 'rotate' && (
        <Confirm
          title="Create a new secret?"
          action="Create new secret"
          isDangerous={false}
          change={rotate}
          onClose={close}
          onConfirm={() =>
            rotate.mutate(undefined, {
              onSuccess: (answer) => {
                close();
                setSecret(answer.secret);
              },
            })
          }
        >
          <p>
            Requests are signed with both secrets for {WEBHOOK_ROTATION_HOURS} hours, so that you
            can switch without missing events.
          </p>
        </Confirm>
      )}
      {dialog === 'delete' && (
        <Confirm
          title="Delete this endpoint?"
          action="Delete endpoint"
          change={remove}
          onClose={close}
          onConfirm={() =>
            remove.mutate(undefined, {
              onSuccess: () => void navigate({ to: '/settings/webhooks' }),
            })
          }
        >
          <p>
            It receives no more events. Its waiting events and its log are deleted. This can’t be
            undone.
          </p>
        </Confirm>
      )}
      {secret !== null && (
        <SecretDialog
          title="New secret"
          secret={secret}
          label="secret"
          onClose={() => setSecret(null)}
        />
      )}
    </>
  );
}
