import { useState } from 'react';
import type { Query } from '../../api/client.ts';
import { errorMessage } from '../../api/problem.ts';
import { useChange } from '../../api/queries.ts';
import type { WebhookDelivery } from '../../api/types.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Facts } from '../../ui/card.tsx';
import { Json } from '../../ui/code.tsx';
import { ATTEMPTS_COLUMN, timeColumn } from '../../ui/columns.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import { Table, type Column } from '../../ui/table.tsx';
import { Duration, Time } from '../../ui/time.tsx';
import { showToast } from '../../ui/toast.tsx';
import { explain } from '../../labels/explain.ts';

export function WebhookDeliveries({
  webhookId,
  query,
  mayReplay,
}: {
  readonly webhookId: string;
  readonly query: Query;
  readonly mayReplay: boolean;
}) {
  const [opened, setOpened] = useState<WebhookDelivery | null>(null);
  const columns: readonly Column<WebhookDelivery>[] = [
    {
      name: 'Event',
      cell: (delivery) => (
        <Button kind="plain" isSmall className="wrap" onClick={() => setOpened(delivery)}>
          <code className="wrap">{delivery.type}</code>
        </Button>
      ),
    },
    { name: 'Status', width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
    ATTEMPTS_COLUMN,
    {
      name: 'Last response',
      isMinor: true,
      cell: ({ attemptLog, lastAnswer }) => (
        <LongText
          text={
            [attemptLog.at(-1)?.statusCode ?? attemptLog.at(-1)?.error, lastAnswer]
              .filter(Boolean)
              .join(' ') || '–'
          }
        />
      ),
    },
    timeColumn('Occurred', ({ occurredAt }) => occurredAt),
  ];
  return (
    <>
      <List<WebhookDelivery>
        label="Deliveries to the endpoint"
        path={`webhooks/${webhookId}/deliveries`}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        everyMs={5_000}
        fileName="webhook-deliveries.csv"
        empty={
          <Empty title="No events sent yet" icon="channels">
            Send a test event or a campaign.
          </Empty>
        }
      />
      {opened !== null && (
        <DeliveryDialog
          delivery={opened}
          webhookId={webhookId}
          mayReplay={mayReplay}
          onClose={() => setOpened(null)}
        />
      )}
    </>
  );
}

function DeliveryDialog({
  delivery,
  webhookId,
  mayReplay,
  onClose,
}: {
  readonly delivery: WebhookDelivery;
  readonly webhookId: string;
  readonly mayReplay: boolean;
  readonly onClose: () => void;
}) {
  const replay = useChange<void>(
    () => ({ path: `webhooks/${webhookId}/deliveries/${delivery.id}/replay`, method: 'POST' }),
    ['webhooks'],
  );
  const run = (): void =>
    replay.mutate(undefined, {
      onSuccess: () => {
        showToast('Replay queued with the same ID');
        onClose();
      },
      onError: (error) => showToast(errorMessage(error), 'bad'),
    });
  const failure = delivery.reason === null ? null : explain('webhookFailure', delivery.reason);
  return (
    <Dialog title={delivery.type} onClose={onClose} isWide>
      <Facts
        facts={[
          ['Status', <StatusBadge status={delivery.status} />],
          ['Occurred', <Time at={delivery.occurredAt} />],
          ['Next attempt', <Time at={delivery.nextAttemptAt} />],
          ['Event ID', <code className="wrap">{delivery.eventId}</code>],
        ]}
      />
      {failure !== null && (
        <Callout tone="bad">
          <strong>{failure.summary}</strong>
          <p>{failure.remedy}</p>
        </Callout>
      )}
      {delivery.attemptLog.length > 0 && (
        <Table
          label="Attempts"
          rows={delivery.attemptLog}
          rowKey={({ at }) => String(at)}
          columns={[
            { name: 'Time', cell: ({ at }) => <Time at={at} /> },
            {
              name: 'Response',
              cell: ({ statusCode, error }) =>
                statusCode ?? (error === undefined ? '–' : <AttemptError error={error} />),
            },
            {
              name: 'Duration',
              isNumber: true,
              isMinor: true,
              cell: ({ durationMs }) => <Duration ms={durationMs} />,
            },
          ]}
        />
      )}
      {delivery.lastAnswer !== null && (
        <p className="wrap small">Last response: {delivery.lastAnswer}</p>
      )}
      <Json value={delivery.data} label="Event data" />
      <div className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
        {mayReplay && delivery.status !== 'pending' && (
          <Button kind="primary" isBusy={replay.isPending} onClick={run}>
            Replay
          </Button>
        )}
      </div>
    </Dialog>
  );
}

function AttemptError({ error }: { readonly error: string }) {
  const { summary, remedy } = explain('webhookAttempt', error);
  return (
    <>
      {summary} <span className="soft">{remedy}</span>
    </>
  );
}
