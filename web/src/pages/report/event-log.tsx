import type { Campaign, CampaignEvent } from '../../api/types.ts';
import { humanize } from '../../lib/format.ts';
import { shortId } from '../../lib/ids.ts';
import { Card } from '../../ui/card.tsx';
import { List } from '../../ui/list.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { Empty } from '../../ui/states.tsx';
import type { Column } from '../../ui/table.tsx';
import { Duration, Time } from '../../ui/time.tsx';
import { RecipientsDeleted } from './recipients-deleted.tsx';

const COLUMNS: readonly Column<CampaignEvent>[] = [
  { name: 'Time', width: '11rem', cell: ({ at }) => <Time at={at} /> },
  { name: 'Event', width: '12rem', cell: ({ type }) => <code>{type}</code> },
  {
    name: 'Delivery',
    isMinor: true,
    cell: ({ deliveryId }) =>
      deliveryId === undefined ? '–' : <code title={deliveryId}>{shortId(deliveryId)}</code>,
  },
  {
    name: 'Attempt',
    isNumber: true,
    isMinor: true,
    width: '5.5rem',
    cell: ({ attempt }) => attempt ?? '–',
  },
  {
    name: 'Outcome',
    cell: ({ status, reason, outcome }) =>
      [status ?? outcome, reason]
        .filter((each) => each !== undefined)
        .map(humanize)
        .join(': ') || '–',
  },
  {
    name: 'Details',
    isMinor: true,
    cell: ({ providerCode, detail }) => (
      <LongText
        text={[providerCode, detail].filter((each) => each !== undefined).join(' ') || '–'}
      />
    ),
  },
  {
    name: 'Duration',
    isNumber: true,
    isMinor: true,
    width: '6rem',
    cell: ({ durationMs }) => <Duration ms={durationMs} />,
  },
];

export function EventLog({
  campaign: { campaignId, recipientsDeletedAt },
}: {
  readonly campaign: Campaign;
}) {
  return (
    <Card
      title="Event log"
      description="Every change of the campaign and every send attempt, oldest first."
      isFlush
    >
      <List<CampaignEvent>
        label="Event log"
        path={`campaigns/${campaignId}/events`}
        columns={COLUMNS}
        rowKey={({ seq }) => seq}
        fileName={`campaign-${campaignId}-log.csv`}
        empty={
          recipientsDeletedAt === null ? (
            <Empty title="No events yet" />
          ) : (
            <RecipientsDeleted at={recipientsDeletedAt} />
          )
        }
      />
    </Card>
  );
}
