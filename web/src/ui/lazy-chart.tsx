import { lazy, Suspense, type ComponentProps } from 'react';
import { Loading } from './states.tsx';

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

/** A chart. The browser loads its code when the first chart appears. */
export function LazyChart(props: ComponentProps<typeof Chart>) {
  return (
    <Suspense fallback={<Loading />}>
      <Chart {...props} />
    </Suspense>
  );
}
