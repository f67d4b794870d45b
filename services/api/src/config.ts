import { accessConfig } from '@tidings/access';
import { busConfig } from '@tidings/bus';
import { redisConfig } from '@tidings/coordination';
import { proxyConfig } from '@tidings/http/client-address';
import { httpConfig } from '@tidings/http/http-config';
import {
  encryptionConfig,
  integer,
  optionalText,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';
import { databaseConfig } from '@tidings/postgres/database';
import { foldConfig } from '@tidings/segments/fold-config';
import { pushConfig } from '@tidings/campaign-intake';
import { oidcConfig } from './auth/oidc-config.ts';

export const apiConfig = {
  ...httpConfig,
  ...proxyConfig,
  ...databaseConfig,
  ...busConfig,
  ...redisConfig,
  ...encryptionConfig,
  ...accessConfig,
  ...pushConfig,
  rateApiPerSecond: integer(
    'RATE_API_PER_SECOND',
    'Requests per second to /api/v1 per key, administrator token or session, counted in each process separately. 0: no limit.',
    { default: 200 },
  ),
  rateApiBurst: integer(
    'RATE_API_BURST',
    'Burst of requests to /api/v1 per key, administrator token or session.',
    { default: 2_000, min: 1 },
  ),
  rateQuestionsPerSecond: integer(
    'RATE_QUESTIONS_PER_SECOND',
    'Questions about users (estimates, explanations, previews) per second and key, administrator token or member, counted in each process separately. 0: no limit.',
    { default: 2 },
  ),
  rateQuestionsBurst: integer('RATE_QUESTIONS_BURST', 'Burst size of RATE_QUESTIONS_PER_SECOND.', {
    default: 30,
    min: 1,
  }),
  ...oidcConfig,
  publicBaseUrl: optionalText(
    'PUBLIC_BASE_URL',
    'Public base URL for e-mail links and provider callbacks, e.g. https://host. Without it e-mails contain no tracking links, those with {{unsubscribeUrl}} wait, and providers send no callbacks.',
  ),
  dashboardUrl: optionalText(
    'DASHBOARD_URL',
    'Address of the dashboard, as https://host/dashboard. api: links and sign-in use it; without it PUBLIC_BASE_URL and /dashboard. gateway: `GET /` redirects browsers there with 303; without it the answer is 405.',
  ),
  segmentConcurrency: integer(
    'SEGMENT_CONCURRENCY',
    'Statements over all users of an application at a time, in each process. Each may use 384 MiB of memory of Postgres.',
    { default: 1, min: 1, max: 16 },
  ),
  ...foldConfig,
  testSendTimeoutMs: integer(
    'TEST_SEND_TIMEOUT_MS',
    'Maximum time that a test send waits for its outcome, in milliseconds.',
    { default: 20_000, min: 1_000 },
  ),
  searchTimeoutMs: integer(
    'SEARCH_TIMEOUT_MS',
    'Maximum time of each part of a search, in milliseconds. A part that takes longer is left out of the answer, which says so.',
    { default: 150, min: 10, max: 10_000 },
  ),
} as const satisfies ConfigSpec;
export type ApiConfig = ConfigOf<typeof apiConfig>;
