import { accessConfig, clientRatesConfig } from '@tidings/access';
import { pushServicesConfig } from '@tidings/egress';
import {
  encryptionConfig,
  httpConfig,
  integer,
  proxyConfig,
  text,
  type ConfigOf,
  type ConfigSpec,
} from '@tidings/platform';
import { publicDatabaseConfig } from '@tidings/postgres/database';
import { redisConfig } from '@tidings/redis';

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
    'Requests to /sdk that the devices of an application may send in a second together; 0: any number.',
    { default: 200 },
  ),
  rateSdkBurst: integer(
    'RATE_SDK_BURST',
    'Requests to /sdk that the devices of an application may send at once, after a pause.',
    { default: 400, min: 1 },
  ),
  rateSdkDevicePerSecond: integer(
    'RATE_SDK_DEVICE_PER_SECOND',
    'Requests to /sdk that one device may send in a second; 0: any number.',
    { default: 10 },
  ),
  rateSdkDeviceBurst: integer(
    'RATE_SDK_DEVICE_BURST',
    'Requests to /sdk that one device may send at once, after a pause.',
    { default: 20, min: 1 },
  ),
  publicBaseUrl: text(
    'PUBLIC_BASE_URL',
    'Where this installation is reached from outside, as https://host: signatures of callbacks are of this very address.',
  ),
  inboxWaitingMax: integer(
    'INBOX_WAITING_MAX',
    'Connections of devices that wait for messages at most; beyond it the answer is 503. When all are taken, the application with the most makes room for those of others.',
    { default: 10_000, min: 1 },
  ),
} as const satisfies ConfigSpec;
export type ClientApiConfig = ConfigOf<typeof clientApiConfig>;
