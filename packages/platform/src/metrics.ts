import { Counter, Gauge, Histogram, collectDefaultMetrics, register } from 'prom-client';

export { Counter, Gauge, Histogram };

/**
 * The only registry of the process. Each metric is declared at the top of the file that updates it.
 */
export const metricsRegistry = register;

/** Process metrics: memory, CPU, event-loop delay. Called once, by `runServices`. */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ register });
}
