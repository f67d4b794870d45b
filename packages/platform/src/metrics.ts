import { Counter, Gauge, Histogram, collectDefaultMetrics, register } from 'prom-client';

export { Counter, Gauge, Histogram };

/** The one registry of the process; metrics are declared at the top of the file that moves them. */
export const metricsRegistry = register;

/** Process metrics: memory, CPU, event-loop delay. Called once, by `runService`. */
export function collectProcessMetrics(): void {
  collectDefaultMetrics({ register });
}
