import { isReported } from '@tidings/contracts/push/campaign-result';
import type { CampaignReport } from '../../api/types.ts';
import { formatCount } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { Table, type Column } from '../../ui/table.tsx';

type AccountCounts = CampaignReport['accounts'][number];

const countColumn = (
  name: string,
  count: (row: AccountCounts) => number,
): Column<AccountCounts> => ({
  name,
  isNumber: true,
  isMinor: true,
  width: '7rem',
  cell: (row) => <strong>{formatCount(count(row))}</strong>,
});

/** What each account of the channel has sent. */
export function AccountsCard({
  report: { accounts, campaign },
}: {
  readonly report: CampaignReport;
}) {
  return (
    <Card
      title="By account"
      description="Each recipient counts with the account of the last attempt."
      isFlush
    >
      <Table<AccountCounts>
        label="Outcomes by account"
        rows={accounts}
        rowKey={({ name }) => name}
        columns={[
          { name: 'Account', cell: ({ name }) => <span className="wrap">{name}</span> },
          countColumn('Sent', ({ sent }) => sent),
          ...(isReported(campaign.channel, 'delivered')
            ? [countColumn('Delivered', ({ delivered }) => delivered)]
            : []),
          countColumn('Failed', ({ failed }) => failed),
          countColumn('Unknown', ({ unknown }) => unknown),
        ]}
      />
    </Card>
  );
}
