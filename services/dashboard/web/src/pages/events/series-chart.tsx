import { lazy, Suspense } from 'react';
import { useRead, type Page as Listed } from '../../api/queries.ts';
import type { ChartPoint } from '../../api/types.ts';
import { useNow } from '../../lib/now.ts';
import { Select } from '../../ui/field.tsx';
import { useFilters } from '../../ui/filters.ts';
import { Empty, Loaded, Loading } from '../../ui/states.tsx';
import { edgesOf, everyStep, SPANS, spanOf } from './span.ts';

const Chart = lazy(async () => ({ default: (await import('../../ui/chart.tsx')).Chart }));

/** How often events of a definition came, over a time that can be chosen. */
export function SeriesChart({ slug, name }: { readonly slug: string; readonly name: string }) {
  const { span, choice, now } = useSpan();
  const { first } = edgesOf(span, now);
  const read = useRead<Listed<ChartPoint>>(`definitions/${encodeURIComponent(slug)}/chart`, { query: { from: first, step: span.step }, everyMs: 30_000 });
  return (
    <>
      {choice}
      <Loaded read={read}>
        {({ items }) => {
          if (items.length === 0) return <Empty title="No events in this time" icon="events" />;
          const steps = everyStep(span, now, items);
          return (
            <Suspense fallback={<Loading />}>
              <Chart label={`Events of ${name}`} unit="events" times={steps.map(({ at }) => at)} series={[{ name: 'Events', values: steps.map(({ point }) => point?.events ?? 0) }]} />
            </Suspense>
          );
        }}
      </Loaded>
    </>
  );
}

/** The time that is shown, which stands in the address, and the field that chooses it. */
export function useSpan() {
  const filters = useFilters(['span']);
  const span = spanOf(filters.get('span'));
  const choice = (
    <div className="filters">
      <Select label="Time" value={span.value} onChange={(value) => filters.set('span', value)} options={SPANS} />
    </div>
  );
  return { span, choice, now: useNow() };
}
