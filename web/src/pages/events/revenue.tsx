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

/** Revenue per currency. Currencies are never added up. */
export function Revenue() {
  const { span, choice } = useSpan();
  const read = useRead<Sums>('revenue', { query: toSpanQuery(span), everyMs: 30_000 });
  return (
    <Card title="Revenue by currency" description="By event time. Currencies are not converted.">
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
                      ? 'No revenue in this period'
                      : 'No revenue counted in this period yet'
                  }
                  icon="events"
                >
                  Events of the type revenue are added up here.
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
                    name: 'Total',
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
                    step={span.step}
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
