import { integer, text, type ConfigOf, type ConfigSpec } from './config.ts';
import { tracingConfig } from './tracing/tracing.ts';

/** Settings common to all services. */
export const processConfig = {
  logLevel: text('LOG_LEVEL', 'Minimum level of log lines.', {
    default: 'info',
    values: ['debug', 'info', 'warn', 'error'],
  }),
  healthHost: text('HEALTH_HOST', 'Address that the health and metrics server listens on.', {
    default: '0.0.0.0',
  }),
  healthPort: integer('HEALTH_PORT', 'Port of /healthz, /readyz and /metrics; 0: any free port.', {
    default: 9464,
    max: 65_535,
  }),
  drainWaitMs: integer(
    'DRAIN_WAIT_MS',
    'Time between "not ready" and the end of intake, so load balancers can react.',
    {
      default: 5_000,
    },
  ),
  drainDeadlineMs: integer(
    'DRAIN_DEADLINE_MS',
    'Time after which a draining process exits, even with work in flight.',
    { default: 40_000 },
  ),
  watchdogMs: integer(
    'WATCHDOG_MS',
    'Time without a turn of the event loop after which the process ends itself, where nothing restarts it by /healthz; 0: never.',
    { default: 0 },
  ),
  ...tracingConfig,
} as const satisfies ConfigSpec;
export type ProcessConfig = ConfigOf<typeof processConfig>;
