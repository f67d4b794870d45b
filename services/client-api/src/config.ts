import { accessConfig, clientRatesConfig } from '@tidings/access';
import { redisConfig } from '@tidings/coordination';
import { pushServicesConfig } from '@tidings/egress';
import { proxyConfig } from '@tidings/http/client-address';
import { httpConfig } from '@tidings/http/http-config';
import { encryptionConfig, integer, text, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { publicDatabaseConfig } from '@tidings/postgres/database';

export const clientApiConfig = {
  ...httpConfig,
  ...proxyConfig,
  ...publicDatabaseConfig,
  ...redisConfig,
  ...accessConfig,
  ...clientRatesConfig,
  ...pushServicesConfig,
  ...encryptionConfig,
  rateSdkPerSecond: integer(
    'RATE_SDK_PER_SECOND',
    'Requests per second to /sdk, all devices of an application together. 0: no limit.',
    { default: 200 },
  ),
  rateSdkBurst: integer(
    'RATE_SDK_BURST',
    'Burst of requests to /sdk, all devices of an application together.',
    { default: 400, min: 1 },
  ),
  rateSdkDevicePerSecond: integer(
    'RATE_SDK_DEVICE_PER_SECOND',
    'Requests per second to /sdk from one device. 0: no limit.',
    { default: 10 },
  ),
  rateSdkDeviceBurst: integer(
    'RATE_SDK_DEVICE_BURST',
    'Burst of requests to /sdk from one device.',
    { default: 20, min: 1 },
  ),
  publicBaseUrl: text(
    'PUBLIC_BASE_URL',
    'Public base URL of this installation, e.g. https://host. Provider callbacks are verified against it, so it must match exactly.',
  ),
  inboxWaitingMax: integer(
    'INBOX_WAITING_MAX',
    'Maximum open connections of devices that wait for messages, per process. When full, the application with the most connections gives some up for others; further connections get 503.',
    { default: 10_000, min: 1 },
  ),
} as const satisfies ConfigSpec;
export type ClientApiConfig = ConfigOf<typeof clientApiConfig>;
