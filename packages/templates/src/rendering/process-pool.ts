import { Counter } from '@tidings/platform';
import { RenderPool } from './render-pool.ts';

const threadsEndedTotal = new Counter({
  name: 'tidings_rendering_threads_ended_total',
  help: 'Threads that were ended because a rendering took too long or too much memory.',
  labelNames: ['reason'] as const,
});

/** The one of this process: no application has two of its threads. It starts none before it is used. */
export const renderPool = new RenderPool({
  onOverrun: (reason) => threadsEndedTotal.inc({ reason }),
});
