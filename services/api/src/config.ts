import { accessConfig } from '@tidings/access';
import { kafkaConfig } from '@tidings/bus';
import {
  encryptionConfig,
  httpConfig,
  integer,
  optionalText,
  proxyConfig,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';
import { pushConfig } from '@tidings/campaign-intake';
import { redisConfig } from '@tidings/redis';
import { oidcConfig } from './auth/oidc-config.ts';

export const apiConfig = {
  ...httpConfig,
  ...proxyConfig,
  ...databaseConfig,
  ...kafkaConfig,
  ...redisConfig,
  ...encryptionConfig,
  ...accessConfig,
  ...pushConfig,
  rateApiPerSecond: integer(
    'RATE_API_PER_SECOND',
    'Requests to /api/v1 that one key, administrator token or session may send in a second; each process counts by itself. 0: any number.',
    { default: 200 },
  ),
  rateApiBurst: integer(
    'RATE_API_BURST',
    'Requests to /api/v1 that one key, administrator token or session may send at once, after a pause.',
    { default: 2_000, min: 1 },
  ),
  ...oidcConfig,
  publicBaseUrl: optionalText(
    'PUBLIC_BASE_URL',
    'Where the links of mails lead, and providers call back, as https://host; without it mails have no links of ours and workers ask for no callbacks.',
  ),
  dashboardUrl: optionalText(
    'DASHBOARD_URL',
    'Address of the dashboard, as https://host/dashboard. api: links and sign-in use it; without it PUBLIC_BASE_URL and /dashboard. gateway: `GET /` redirects browsers there with 303; without it the answer is 405.',
  ),
  testSendTimeoutMs: integer(
    'TEST_SEND_TIMEOUT_MS',
    'A test send waits this long for the provider’s answer.',
    { default: 20_000, min: 1_000 },
  ),
} as const satisfies ConfigSpec;
export type ApiConfig = ConfigOf<typeof apiConfig>;
