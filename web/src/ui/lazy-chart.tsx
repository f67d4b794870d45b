import { lazy, Suspense, type ComponentProps } from 'react';
import { Loading } from './states.tsx';

const Chart = lazy(async () => ({ default: (await import('./chart.tsx')).Chart }));

/** A chart whose code the browser reads when the first one is shown. */
export function LazyChart(props: ComponentProps<typeof Chart>) {
  return (
    <Suspense fallback={<Loading />}>
      <Chart {...props} />
    </Suspense>
  );
}
