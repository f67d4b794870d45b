import { accessConfig, clientRatesConfig } from '@tidings/access';
import { kafkaConfig } from '@tidings/bus';
import { LIMITS } from '@tidings/contracts';
import {
  httpConfig,
  integer,
  optionalText,
  proxyConfig,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';
import { publicDatabaseConfig } from '@tidings/postgres/database';
import { pushConfig } from '@tidings/campaign-intake';
import { redisConfig } from '@tidings/redis';

export const gatewayConfig = {
  ...httpConfig,
  ...proxyConfig,
  ...kafkaConfig,
  ...publicDatabaseConfig,
  ...redisConfig,
  ...accessConfig,
  ...clientRatesConfig,
  ...pushConfig,
  pendingBytesMax: integer(
    'PENDING_BYTES_MAX',
    'Bytes of bodies of / in work at most, half of them of one application and half of all Client keys; requests beyond it wait, up to three seconds, and then the answer is 503.',
    {
      default: 32 * 1024 * 1024,
      min: LIMITS.ingestBodyBytesMax,
    },
  ),
  pendingRequestsMax: integer(
    'PENDING_REQUESTS_MAX',
    'Requests to / in work at most, half of them of one application and half of all Client keys; those beyond it wait, up to three seconds, and then the answer is 503.',
    { default: 800, min: 1 },
  ),
  pendingPushBytesMax: integer(
    'PENDING_PUSH_BYTES_MAX',
    'Bytes of bodies of /push in work at most, half of them of one application; requests beyond it wait, up to three seconds, and then the answer is 503.',
    {
      default: 4 * LIMITS.pushBodyBytesMax,
      min: LIMITS.pushBodyBytesMax,
    },
  ),
  pendingPushesMax: integer(
    'PENDING_PUSHES_MAX',
    'Requests to /push in work at most, half of them of one application; those beyond it wait, up to three seconds, and then the answer is 503.',
    { default: 800, min: 1 },
  ),
  loopLagMsMax: integer(
    'LOOP_LAG_MS_MAX',
    'When every turn of the process is later than this, requests wait, up to three seconds, until it keeps up again, and then the answer is 503.',
    {
      default: 1_000,
      min: 50,
    },
  ),
  connectionsMax: integer(
    'CONNECTIONS_MAX',
    'Open connections at most; beyond it the answer is 503.',
    { default: 10_000, min: 1 },
  ),
  ingestDeadlineMs: integer(
    'INGEST_DEADLINE_MS',
    'A batch that Kafka has not confirmed so long after its arrival is answered 503; the time its caller takes to send it is not counted.',
    {
      default: 8_000,
      min: 100,
      max: 9_500,
    },
  ),
  flushRecordsMax: integer(
    'FLUSH_RECORDS_MAX',
    'Requests gathered into one call of Kafka at most.',
    { default: 500, min: 1 },
  ),
  flushIntervalMs: integer(
    'FLUSH_INTERVAL_MS',
    'The least time between two calls of Kafka: under load, some more requests share each. A request after a pause never waits for it.',
    { default: 5, min: 0, max: 100 },
  ),
  flushBytesMax: integer('FLUSH_BYTES_MAX', 'Bytes gathered into one call of Kafka at most.', {
    default: 512 * 1024,
    min: 1024,
  }),
  rateIngestPerSecond: integer(
    'RATE_INGEST_PER_SECOND',
    'Requests to / that an application may send in a second with Server keys; its Client keys may send half as many besides. 0: any number.',
    { default: 1_000 },
  ),
  rateIngestBurst: integer(
    'RATE_INGEST_BURST',
    'Requests to / that an application may send at once with Server keys, after a pause; its Client keys may send half as many besides.',
    { default: 2_000, min: 1 },
  ),
  dashboardUrl: {
    ...optionalText(
      'DASHBOARD_URL',
      'Address of the dashboard, as https://host/dashboard. `GET /` redirects browsers there with 303; without it the answer is 405.',
    ),
    schema: { type: 'string', pattern: String.raw`^(https?://[^?#\s]+)?$` },
  },
} as const satisfies ConfigSpec;
export type GatewayConfig = ConfigOf<typeof gatewayConfig>;
