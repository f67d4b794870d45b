import { expect, test } from '@jest/globals';
import { ConfigError, loadConfig } from '@tidings/platform';
import { webhooksConfig } from './config.ts';
import { settingsFrom } from './settings.ts';

const settings = (environment: Readonly<Record<string, string>>) =>
  settingsFrom(
    loadConfig(webhooksConfig, { DATABASE_URL: 'x', ENCRYPTION_KEY: 'x', ...environment }),
  );

test('the configuration is counted in milliseconds', () => {
  expect(
    settings({ WEBHOOK_RETRY_DELAYS_SECONDS: '1, 20', WEBHOOK_DISABLE_AFTER_HOURS: '2' }),
  ).toMatchObject({
    retryDelaysMs: [1_000, 20_000],
    disableAfterMs: 7_200_000,
  });
});

test.each([
  [{ WEBHOOK_RETRY_DELAYS_SECONDS: '5,soon' }],
  [{ WEBHOOK_RETRY_DELAYS_SECONDS: '-5' }],
  [{ WEBHOOK_LEASE_MS: '14999', WEBHOOK_TIMEOUT_MS: '10000' }],
])('%j stops the start', (environment) => {
  expect(() => settings(environment)).toThrow(ConfigError);
});
