import { ConfigError } from '@tidings/platform';
import type { WebhooksConfig } from './config.ts';

const HOUR_MS = 3_600_000;
/** What remains of a lease when the endpoint has not answered: time to record it. */
const LEASE_REST_MIN_MS = 5_000;

/** The configuration in the units that the code counts in. */
export type WebhookSettings = Pick<
  WebhooksConfig,
  'concurrency' | 'endpointConcurrency' | 'timeoutMs' | 'leaseMs' | 'pollIntervalMs'
> & {
  readonly retryDelaysMs: readonly number[];
  readonly disableAfterMs: number;
};

/** @throws ConfigError when a list holds what is no number, or the lease is too short */
export function settingsFrom(config: WebhooksConfig): WebhookSettings {
  const problems: string[] = [];
  const numbers = (name: string, texts: readonly string[], max: number): number[] =>
    texts.map((text) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value <= max)) problems.push(`${name} must be whole numbers up to ${max}`);
      return value;
    });
  const settings = {
    ...config,
    retryDelaysMs: numbers(
      'WEBHOOK_RETRY_DELAYS_SECONDS',
      config.retryDelaysSeconds,
      86_400 * 7,
    ).map((seconds) => seconds * 1000),
    disableAfterMs: config.disableAfterHours * HOUR_MS,
  };
  if (config.leaseMs < config.timeoutMs + LEASE_REST_MIN_MS)
    problems.push(
      `WEBHOOK_LEASE_MS must be ${LEASE_REST_MIN_MS} more than WEBHOOK_TIMEOUT_MS or longer`,
    );
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}
