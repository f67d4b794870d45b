import { accessConfig, clientRatesConfig } from '@tidings/access';
import { busConfig } from '@tidings/bus';
import { LIMITS } from '@tidings/contracts/limits';
import { redisConfig } from '@tidings/coordination';
import { proxyConfig } from '@tidings/http/client-address';
import { httpConfig } from '@tidings/http/http-config';
import { integer, optionalText, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { publicDatabaseConfig } from '@tidings/postgres/database';
import { pushConfig } from '@tidings/campaign-intake';

export const gatewayConfig = {
  ...httpConfig,
  ...proxyConfig,
  ...busConfig,
  ...publicDatabaseConfig,
  ...redisConfig,
  ...accessConfig,
  ...clientRatesConfig,
  ...pushConfig,
  pendingBytesMax: integer(
    'PENDING_BYTES_MAX',
    'Maximum body bytes in flight to /. One application may use half, and all Client keys together half. Excess requests queue for up to 3 s, then get 503.',
    {
      default: 32 * 1024 * 1024,
      min: LIMITS.ingestBodyBytesMax,
    },
  ),
  pendingRequestsMax: integer(
    'PENDING_REQUESTS_MAX',
    'Maximum in-flight requests to /. One application may use half, and all Client keys together half. Excess requests queue for up to 3 s, then get 503.',
    { default: 800, min: 1 },
  ),
  pendingPushBytesMax: integer(
    'PENDING_PUSH_BYTES_MAX',
    'Maximum body bytes in flight to /push. One application may use half. Excess requests queue for up to 3 s, then get 503.',
    {
      default: 4 * LIMITS.pushBodyBytesMax,
      min: LIMITS.pushBodyBytesMax,
    },
  ),
  pendingPushesMax: integer(
    'PENDING_PUSHES_MAX',
    'Maximum in-flight requests to /push. One application may use half. Excess requests queue for up to 3 s, then get 503.',
    { default: 800, min: 1 },
  ),
  loopLagMsMax: integer(
    'LOOP_LAG_MS_MAX',
    'Event-loop delay above which new requests queue. After 3 s in the queue they get 503.',
    {
      default: 1_000,
      min: 50,
    },
  ),
  connectionsMax: integer(
    'CONNECTIONS_MAX',
    'Maximum open connections; requests on further connections get 503.',
    { default: 10_000, min: 1 },
  ),
  ingestDeadlineMs: integer(
    'INGEST_DEADLINE_MS',
    'Time until a batch that Kafka has not confirmed is answered 503. The time that the caller takes to send the body does not count.',
    {
      default: 8_000,
      min: 100,
      max: 9_500,
    },
  ),
  flushRecordsMax: integer('FLUSH_RECORDS_MAX', 'Maximum requests in one Kafka produce call.', {
    default: 500,
    min: 1,
  }),
  flushIntervalMs: integer(
    'FLUSH_INTERVAL_MS',
    'Minimum interval between Kafka produce calls, like linger.ms: under load more requests share a call. An idle gateway sends at once.',
    { default: 5, min: 0, max: 100 },
  ),
  flushBytesMax: integer('FLUSH_BYTES_MAX', 'Maximum bytes in one Kafka produce call.', {
    default: 512 * 1024,
    min: 1024,
  }),
  rateIngestPerSecond: integer(
    'RATE_INGEST_PER_SECOND',
    'Requests per second to / that an application may send with Server keys. Its Client keys may send half as many in addition. 0: no limit.',
    { default: 1_000 },
  ),
  rateIngestBurst: integer(
    'RATE_INGEST_BURST',
    'Burst size of RATE_INGEST_PER_SECOND. Client keys get half of it in addition.',
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
