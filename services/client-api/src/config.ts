import { accessConfig } from '@tidings/access';
import { databaseConfig } from '@tidings/db';
import { pushServicesConfig } from '@tidings/egress';
import { httpConfig, integer, proxyConfig, text, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { redisConfig } from '@tidings/redis';

export const clientApiConfig = {
  ...httpConfig,
  ...proxyConfig,
  ...databaseConfig,
  ...redisConfig,
  ...accessConfig,
  ...pushServicesConfig,
  encryptionKey: text('ENCRYPTION_KEY', 'Opens the channel secrets; the same for all services, 32 characters or more.', { secret: true }),
  publicBaseUrl: text('PUBLIC_BASE_URL', 'Where providers reach this installation from outside, as https://host: signatures are of this very address.'),
  rateSdkPerSecond: integer('RATE_SDK_PER_SECOND', 'Requests to /sdk that the devices of an application may send in a second together; 0: any number.', { default: 200 }),
  rateSdkBurst: integer('RATE_SDK_BURST', 'Requests to /sdk that the devices of an application may send at once, after a pause.', { default: 400, min: 1 }),
  rateSdkDevicePerSecond: integer('RATE_SDK_DEVICE_PER_SECOND', 'Requests to /sdk that one device may send in a second; 0: any number.', { default: 10 }),
  rateSdkDeviceBurst: integer('RATE_SDK_DEVICE_BURST', 'Requests to /sdk that one device may send at once, after a pause.', { default: 20, min: 1 }),
} as const satisfies ConfigSpec;
export type ClientApiConfig = ConfigOf<typeof clientApiConfig>;
