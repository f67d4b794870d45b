import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/queries.ts';
import type { EventChart } from '../../api/types.ts';
import { isolate } from '../../lib/text.ts';
import { ChoiceFilter } from '../../ui/choice-filter.tsx';
import { useFilters } from '../../ui/filters.ts';
import { LazyChart } from '../../ui/lazy-chart.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { ChartNotes } from './chart-notes.tsx';
import { countingBefore, findSpan, rangeOf, SPANS, toSpanQuery } from './span.ts';

/** The events of a definition over a selectable period. */
export function SeriesChart({ slug, name }: { readonly slug: string; readonly name: string }) {
  const { span, choice } = useSpan();
  const read = useRead<EventChart>(`definitions/${encodeURIComponent(slug)}/chart`, {
    query: toSpanQuery(span),
    everyMs: 30_000,
  });
  return (
    <>
      <div className="row">
        {choice}
        <Link
          to="/trends"
          search={{
            series: JSON.stringify([{ event: slug, measure: 'events' }]),
            step: span.step,
            range: rangeOf(span),
          }}
        >
          Open in Trends
        </Link>
      </div>
      <Loaded read={read}>
        {({ items, timeZone, countedFrom, ...notes }) => {
          const before = countingBefore(countedFrom, items);
          return (
            <>
              {items.every(({ events }) => events === 0) ? (
                <Empty
                  title={
                    before === null
                      ? 'No events in this period'
                      : 'No events counted in this period yet'
                  }
                  icon="events"
                />
              ) : (
                <LazyChart
                  label={`Events of ${isolate(name)}`}
                  unit="events"
                  basis="event time"
                  timeZone={timeZone}
                  step={span.step}
                  times={items.map(({ at }) => at)}
                  series={[{ name: 'Events', values: items.map(({ events }) => events) }]}
                />
              )}
              <ChartNotes {...notes} before={before} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** The period from the URL, and the field that selects it. */
export function useSpan() {
  const filters = useFilters(['span']);
  const span = findSpan(filters.get('span'));
  const choice = (
    <div className="filters">
      <ChoiceFilter
        label="Period"
        value={span.value}
        onChange={(value) => filters.set('span', value)}
        options={SPANS}
      />
    </div>
  );
  return { span, choice };
}
