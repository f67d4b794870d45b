import { useRead } from '../../api/queries.ts';
import { formatCount, formatMoney } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { readRevenue, type RevenueRow } from './read-revenue.ts';

/** What was earned, a sum for each currency: they are never added up. */
export function Revenue() {
  const read = useRead<unknown>('revenue');
  return (
    <Card title="Revenue by currency" description="Sums of different currencies are never mixed." isFlush>
      <Loaded read={read}>
        {(answer) => {
          const rows = readRevenue(answer);
          return rows.length === 0 ? (
            <Empty title="No revenue yet" icon="events">
              Events of the type revenue are summed up here.
            </Empty>
          ) : (
            <Table<RevenueRow>
              label="Revenue by currency"
              rows={rows}
              rowKey={({ currency }) => currency}
              columns={[
                { name: 'Currency', cell: ({ currency }) => <code>{currency}</code> },
                { name: 'Sum', isNumber: true, cell: ({ currency, sum }) => <strong>{formatMoney(sum, currency)}</strong> },
                { name: 'Events', isNumber: true, cell: ({ count }) => (count === null ? '–' : formatCount(count)) },
              ]}
            />
          );
        }}
      </Loaded>
    </Card>
  );
}
