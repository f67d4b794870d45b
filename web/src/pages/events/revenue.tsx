import { Fragment } from 'react';
import { useRead } from '../../api/queries.ts';
import type { CurrencySum, Revenue as Sums } from '../../api/types.ts';
import { formatCount, formatMoney } from '../../lib/format.ts';
import { Card } from '../../ui/card.tsx';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { ChartNotes } from './chart-notes.tsx';
import { useSpan } from './series-chart.tsx';
import { countingBefore, toSpanQuery } from './span.ts';

/** What was earned, a sum for each currency: they are never added up. */
export function Revenue() {
  const { span, choice } = useSpan();
  const read = useRead<Sums>('revenue', { query: toSpanQuery(span), everyMs: 30_000 });
  return (
    <Card
      title="Revenue by currency"
      description="By the time of the events. Sums of different currencies are never mixed."
    >
      {choice}
      <Loaded read={read}>
        {({ currencies, items, timeZone, countedFrom, ...notes }) => {
          const before = countingBefore(countedFrom, items);
          if (currencies.length === 0) {
            return (
              <>
                <Empty
                  title={
                    before === null
                      ? 'No revenue in this time'
                      : 'No revenue counted in this time yet'
                  }
                  icon="events"
                >
                  Events of the type revenue are summed up here.
                </Empty>
                <ChartNotes {...notes} before={before} />
              </>
            );
          }
          return (
            <>
              <Table<CurrencySum>
                label="Revenue by currency"
                rows={currencies}
                rowKey={({ currency }) => currency}
                columns={[
                  { name: 'Currency', cell: ({ currency }) => <code>{currency}</code> },
                  {
                    name: 'Sum',
                    isNumber: true,
                    cell: ({ currency, revenue }) => (
                      <strong>{formatMoney(revenue, currency)}</strong>
                    ),
                  },
                  {
                    name: 'Events',
                    isNumber: true,
                    isMinor: true,
                    cell: ({ events }) => formatCount(events),
                  },
                ]}
              />
              {currencies.map(({ currency }) => (
                <Fragment key={currency}>
                  <h3>{currency} over time</h3>
                  <LazyChart
                    label={`Revenue in ${currency}`}
                    unit={currency}
                    basis="event time"
                    timeZone={timeZone}
                    times={items.map(({ at }) => at)}
                    series={[
                      {
                        name: 'Revenue',
                        values: items.map(({ revenue }) => revenue[currency] ?? 0),
                      },
                    ]}
                  />
                </Fragment>
              ))}
              <ChartNotes {...notes} before={before} />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}
