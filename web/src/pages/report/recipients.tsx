import { DELIVERY_REASONS, DELIVERY_STATES } from '@tidings/contracts/push/deliveries';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign, Delivery } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { isolate } from '../../lib/text.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { DeliveryBadge } from '../../ui/delivery-badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ATTEMPTS_COLUMN, timeColumn } from '../../ui/columns.tsx';
import { FilterBar } from '../../ui/filter-bar.tsx';
import { useFilters } from '../../ui/filters.ts';
import { List } from '../../ui/list.tsx';
import { clampProps } from '../../ui/long-text.tsx';
import { toOptions } from '../../ui/options.ts';
import { outcomeLabels } from '../../ui/outcome-bar.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { TextFilter } from '../../ui/text-filter.tsx';
import { explain } from '../../labels/explain.ts';
import { DeliveryDialog } from './delivery-dialog.tsx';
import { RecipientsDeleted } from './recipients-deleted.tsx';
import { TemplateName } from './templates.tsx';

const listOutcomes = (channel: Campaign['channel']) => [
  { value: '', label: 'All outcomes' },
  ...Object.entries(outcomeLabels(channel)).map(([value, label]) => ({ value, label })),
];

const TEMPLATE_COLUMN: Column<Delivery> = {
  name: 'Template',
  hasOwnLine: true,
  cell: ({ template }) =>
    template === null ? <span className="soft">–</span> : <TemplateName named={template} />,
};

const PASSED_OVER: ReadonlySet<string | null> = new Set(['breaker_open', 'paused', 'not_accepted']);

/** Why it was not the account before it; the details have the reason of every choice. */
const ACCOUNT_COLUMN: Column<Delivery> = {
  name: 'Account',
  isMinor: true,
  width: '11rem',
  cell: ({ account, accountReason }) =>
    account === null ? (
      <span className="soft">–</span>
    ) : (
      <>
        {account}
        {PASSED_OVER.has(accountReason) && (
          <div className="soft small">{explain('accountReason', accountReason ?? '').summary}</div>
        )}
      </>
    ),
};

/** Name and address below the id. */
function PersonLine({ person }: Pick<Delivery, 'person'>) {
  const name = [person?.firstName, person?.lastName].filter(Boolean).join(' ');
  const known = [name, person?.email ?? person?.phoneNumber ?? ''].filter((each) => each !== '');
  if (known.length === 0) return null;
  return <span className="soft small wrap">{known.map(isolate).join(', ')}</span>;
}

type RecipientsProps = { readonly campaign: Campaign; readonly hasAccounts: boolean };

const buildColumns = (
  { campaign: { templates }, hasAccounts }: RecipientsProps,
  open: (delivery: Delivery) => void,
): readonly Column<Delivery>[] => [
  {
    name: 'Recipient',
    cell: (delivery) => (
      <>
        <Button kind="plain" isSmall onClick={() => open(delivery)} className="wrap">
          <span {...clampProps(delivery.customUserId)}>{delivery.customUserId}</span>
        </Button>
        <PersonLine person={delivery.person} />
      </>
    ),
  },
  { name: 'Status', width: '8rem', cell: (delivery) => <DeliveryBadge {...delivery} /> },
  {
    name: 'Reason',
    hasOwnLine: true,
    cell: ({ reason }) => (reason === null ? <span className="soft">–</span> : humanize(reason)),
  },
  // Without a split, the report names the one that all have.
  ...((templates?.length ?? 0) > 1 ? [TEMPLATE_COLUMN] : []),
  ...(hasAccounts ? [ACCOUNT_COLUMN] : []),
  {
    name: 'Provider code',
    isMinor: true,
    width: '10rem',
    cell: ({ providerCode }) => <code className="wrap">{providerCode ?? '–'}</code>,
  },
  ATTEMPTS_COLUMN,
  timeColumn('Sent', ({ sentAt }) => sentAt),
  timeColumn('Last updated', ({ updatedAt }) => updatedAt),
];

/** `hasAccounts`: whether several accounts have sent the campaign. */
export function Recipients({ campaign, hasAccounts }: RecipientsProps) {
  const filters = useFilters(['group', 'status', 'reason', 'customUserId']);
  const [opened, setOpened] = useState<Delivery | null>(null);
  return (
    <Card title="Recipients" description="One row per recipient. Open it for details." isFlush>
      <FilterBar>
        <ChoiceFilter
          label="Outcome"
          {...filters.field('group')}
          options={listOutcomes(campaign.channel)}
        />
        <ChoiceFilter
          label="Status"
          {...filters.field('status')}
          options={toOptions(DELIVERY_STATES, 'All statuses')}
        />
        <ChoiceFilter
          label="Reason"
          {...filters.field('reason')}
          options={toOptions(DELIVERY_REASONS, 'All reasons')}
        />
        <TextFilter label="User ID" {...filters.field('customUserId')} />
      </FilterBar>
      <List<Delivery>
        label="Recipients"
        path={`campaigns/${campaign.campaignId}/deliveries`}
        query={filters.values}
        columns={buildColumns({ campaign, hasAccounts }, setOpened)}
        rowKey={({ deliveryId }) => deliveryId}
        onOpen={setOpened}
        fileName={`campaign-${campaign.campaignId}.csv`}
        empty={
          campaign.recipientsDeletedAt !== null ? (
            <RecipientsDeleted at={campaign.recipientsDeletedAt} />
          ) : filters.isAny ? (
            <Empty
              title="No matching recipients"
              icon="search"
              action={<Button onClick={filters.clear}>Clear filters</Button>}
            />
          ) : (
            <Empty title="No recipients yet" icon="users">
              {campaign.status === 'scheduled'
                ? 'Recipients appear when the campaign begins.'
                : 'The campaign is being prepared. Recipients appear in a moment.'}{' '}
              <Link to=".">Back to the report</Link>
            </Empty>
          )
        }
      />
      {opened !== null && (
        <DeliveryDialog delivery={opened} campaign={campaign} onClose={() => setOpened(null)} />
      )}
    </Card>
  );
}
