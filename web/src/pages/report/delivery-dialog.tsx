import { isReported } from '@tidings/contracts/push/campaign-result';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { Campaign, Delivery, DeliveryAddress, User } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { DeliveryBadge } from '../../ui/delivery-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CalledNumber } from '../../ui/called-number.tsx';
import { Callout, Facts } from '../../ui/card.tsx';
import { CopyId } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SentMessage } from '../../ui/sent-message.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { explain, explainDelivery, shownRemedy } from '../../labels/explain.ts';
import { TemplateName } from './templates.tsx';

const STEPS = [
  { state: 'delivered', name: 'Delivered', at: ({ deliveredAt }: Delivery) => deliveredAt },
  { state: 'displayed', name: 'Displayed', at: ({ displayedAt }: Delivery) => displayedAt },
  { state: 'opened', name: 'Opened', at: ({ openedAt }: Delivery) => openedAt },
  { state: 'clicked', name: 'Clicked', at: ({ clickedAt }: Delivery) => clickedAt },
] as const;

type DialogProps = {
  readonly delivery: Delivery;
  readonly campaign: Pick<Campaign, 'campaignId' | 'channel' | 'purpose'>;
  readonly onClose: () => void;
};

/** The details of one recipient of a campaign. */
export function DeliveryDialog({ delivery, campaign, onClose }: DialogProps) {
  const { campaignId, channel, purpose } = campaign;
  const advice = delivery.reason === null ? null : explainDelivery(delivery.reason);
  const meant = delivery.bounce && explain('bounceClass', delivery.bounce.class);
  return (
    <Dialog title={`Message to ${isolate(delivery.customUserId)}`} onClose={onClose} isWide>
      <div className="row">
        <DeliveryBadge {...delivery} />
        <Link to="/users/$customUserId" params={{ customUserId: delivery.customUserId }}>
          Open user
        </Link>
      </div>
      {advice !== null && (
        <Callout tone="warn">
          <strong>{humanize(delivery.reason ?? '')}</strong>
          <p>
            {advice.summary} {shownRemedy(advice)}
          </p>
          {meant !== null && (
            <p>
              {meant.summary} {shownRemedy(meant)} <code>{delivery.bounce?.evidence}</code>
            </p>
          )}
        </Callout>
      )}
      <Facts
        facts={[
          ...(delivery.template === null
            ? []
            : [['Template', <TemplateName named={delivery.template} />] as const]),
          ...(channel === 'SMS'
            ? [['Number now', <NumberOf customUserId={delivery.customUserId} />] as const]
            : []),
          ...(delivery.account === null ? [] : [['Account', <SentBy {...delivery} />] as const]),
          ['Provider code', <code>{delivery.providerCode ?? '–'}</code>],
          ['Provider response', delivery.providerMessage ?? '–'],
          ['Attempts', delivery.attempts],
          ['Created', <Time at={delivery.createdAt} />],
          ['Sent', <Time at={delivery.sentAt} />],
          ...STEPS.filter(({ state }) => isReported(channel, state)).map(
            ({ name, at }) => [name, <Time at={at(delivery)} />] as const,
          ),
          ['Last updated', <Time at={delivery.updatedAt} />],
        ]}
      />
      {delivery.addresses !== undefined && delivery.addresses.length > 0 && (
        <Addresses addresses={delivery.addresses} />
      )}
      <SentMessage
        campaignId={campaignId}
        deliveryId={delivery.deliveryId}
        customUserId={delivery.customUserId}
        channel={channel}
        isMarketing={purpose === 'marketing'}
      />
      <div className="stack tight">
        <span className="soft small">Delivery ID</span>
        <CopyId id={delivery.deliveryId} label="delivery ID" />
      </div>
      <div className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
      </div>
    </Dialog>
  );
}

/** The account of the last attempt, and why it was that one. */
function SentBy({ account, accountReason }: Pick<Delivery, 'account' | 'accountReason'>) {
  return (
    <>
      {account}
      {accountReason !== null && (
        <div className="soft small">{explain('accountReason', accountReason).summary}</div>
      )}
    </>
  );
}

/** The number that a message to the user goes to now; a dash for a test send and a deleted user. */
function NumberOf({ customUserId }: { readonly customUserId: string }) {
  const { data } = useRead<User>(`users/${encodeURIComponent(customUserId)}`);
  return <CalledNumber {...data?.reachable['SMS']} />;
}

function Addresses({ addresses }: { readonly addresses: readonly DeliveryAddress[] }) {
  return (
    <div className="stack tight">
      <h3>Devices</h3>
      <Table<DeliveryAddress>
        label="Devices of the recipient"
        rows={addresses}
        rowKey={({ addressNo }) => String(addressNo)}
        columns={[
          {
            name: 'Device',
            cell: ({ deviceRef, addressNo }) => (
              <code className="wrap">{deviceRef ?? addressNo}</code>
            ),
          },
          { name: 'Status', cell: ({ status }) => <StatusBadge status={status} /> },
          { name: 'Reason', cell: ({ reason }) => (reason === null ? '–' : humanize(reason)) },
          {
            name: 'Code',
            isMinor: true,
            cell: ({ providerCode }) => <code className="wrap">{providerCode ?? '–'}</code>,
          },
          { name: 'Sent', isMinor: true, cell: ({ sentAt }) => <Time at={sentAt} /> },
        ]}
      />
    </div>
  );
}
