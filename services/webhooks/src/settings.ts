import { ConfigError } from '@tidings/platform';
import type { WebhooksConfig } from './config.ts';

const HOUR_MS = 3_600_000;
/** Time left in a lease after the endpoint's timeout, to record the outcome. */
const LEASE_MARGIN_MS = 5_000;

/** The configuration, converted to milliseconds. */
export type WebhookSettings = Pick<
  WebhooksConfig,
  'concurrency' | 'endpointConcurrency' | 'timeoutMs' | 'leaseMs' | 'pollIntervalMs'
> & {
  readonly retryDelaysMs: readonly number[];
  readonly disableAfterMs: number;
};

/** @throws ConfigError when a list holds invalid numbers, or the lease is too short */
export function settingsFrom(config: WebhooksConfig): WebhookSettings {
  const problems: string[] = [];
  const numbers = (name: string, texts: readonly string[], max: number): number[] =>
    texts.map((text) => {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      if (!(value <= max)) problems.push(`${name} must be integers from 0 to ${max}`);
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
  if (config.leaseMs < config.timeoutMs + LEASE_MARGIN_MS)
    problems.push(`WEBHOOK_LEASE_MS must be at least WEBHOOK_TIMEOUT_MS + ${LEASE_MARGIN_MS}`);
  if (problems.length > 0) throw new ConfigError(problems);
  return settings;
}
