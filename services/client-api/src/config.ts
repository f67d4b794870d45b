import { databaseConfig } from '@tidings/db';
import { httpConfig, text, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const clientApiConfig = {
  ...httpConfig,
  ...databaseConfig,
  encryptionKey: text('ENCRYPTION_KEY', 'Opens the channel secrets; the same for all services, 32 characters or more.', { secret: true }),
  publicBaseUrl: text('PUBLIC_BASE_URL', 'Where providers reach this installation from outside, as https://host: signatures are of this very address.'),
} as const satisfies ConfigSpec;
export type ClientApiConfig = ConfigOf<typeof clientApiConfig>;
