import { DELIVERY_REASONS, DELIVERY_STATES } from '@tidings/contracts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign, Delivery } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { StatusBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { optionsOf } from '../../ui/options.ts';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { DeliveryDialog } from './delivery-dialog.tsx';

const columnsOf = (open: (delivery: Delivery) => void): readonly Column<Delivery>[] => [
  {
    name: 'Recipient',
    cell: (delivery) => (
      <Button kind="plain" isSmall onClick={() => open(delivery)} className="wrap">
        {delivery.customUserId}
      </Button>
    ),
  },
  { name: 'State', width: '8rem', cell: ({ status }) => <StatusBadge status={status} /> },
  { name: 'Reason', cell: ({ reason }) => (reason === null ? <span className="soft">–</span> : humanize(reason)) },
  { name: 'Provider’s code', isMinor: true, cell: ({ providerCode }) => <code>{providerCode ?? '–'}</code> },
  { name: 'Attempts', isNumber: true, isMinor: true, width: '6rem', cell: ({ attempts }) => attempts },
  { name: 'Sent', isMinor: true, width: '10rem', cell: ({ sentAt }) => <Time at={sentAt} /> },
  { name: 'Changed', isMinor: true, width: '10rem', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

export function Recipients({ campaign }: { readonly campaign: Campaign }) {
  const filters = useFilters(['status', 'reason', 'customUserId']);
  const [opened, setOpened] = useState<Delivery | null>(null);
  const [userId, setUserId] = useState(filters.get('customUserId'));
  return (
    <Card title="Recipients" description="One row for each; open it for what became known, and when." isFlush>
      <form
        className="inside"
        onSubmit={(event) => {
          event.preventDefault();
          filters.set('customUserId', userId);
        }}
      >
        <div className="filters">
          <Select label="State" value={filters.get('status')} onChange={(value) => filters.set('status', value)} options={optionsOf(DELIVERY_STATES, 'All states')} />
          <Select label="Reason" value={filters.get('reason')} onChange={(value) => filters.set('reason', value)} options={optionsOf(DELIVERY_REASONS, 'All reasons')} />
          <TextField label="customUserId" value={userId} onChange={setUserId} onBlur={() => filters.set('customUserId', userId)} placeholder="Exactly, then Enter" />
        </div>
      </form>
      <List<Delivery>
        label="Recipients"
        path={`campaigns/${campaign.campaignId}/deliveries`}
        query={filters.values}
        columns={columnsOf(setOpened)}
        rowKey={({ deliveryId }) => deliveryId}
        onOpen={setOpened}
        fileName={`campaign-${campaign.campaignId}.csv`}
        csvQuery={{ format: 'csv' }}
        empty={
          filters.isAny ? (
            <Empty
              title="No recipient is like that"
              icon="search"
              action={
                <Button
                  onClick={() => {
                    setUserId('');
                    filters.clear();
                  }}
                >
                  Show all recipients
                </Button>
              }
            />
          ) : (
            <Empty title="Nobody yet" icon="users">
              The campaign is being prepared: its recipients appear in a moment. <Link to=".">Back to the report</Link>
            </Empty>
          )
        }
      />
      {opened !== null && <DeliveryDialog delivery={opened} campaignId={campaign.campaignId} onClose={() => setOpened(null)} />}
    </Card>
  );
}
