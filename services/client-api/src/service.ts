import { openAccess } from '@tidings/access';
import { SMS_STATUS_PURPOSE } from '@tidings/contracts';
import { databaseFrom } from '@tidings/db';
import { createPushServices } from '@tidings/egress';
import { ConfigError, createIdSigner, createSecretBox, encryptionKeysOf, listen, type Service, type ServiceContext } from '@tidings/platform';
import type { ClientApiConfig } from './config.ts';
import { createClientApi } from './server.ts';

export async function startClientApi(config: ClientApiConfig, { logger, clock, ids }: ServiceContext): Promise<Service> {
  if (!/^https?:\/\/[^/?#]+\/*$/.test(config.publicBaseUrl)) throw new ConfigError(['PUBLIC_BASE_URL must be a scheme and a host, as https://host']);
  const db = databaseFrom(config, 'client-api');
  const access = openAccess(config, { logger, clock, ids }, {
    service: 'client-api',
    rates: {
      sdk: { perSecond: config.rateSdkPerSecond, burst: config.rateSdkBurst },
      sdkDevice: { perSecond: config.rateSdkDevicePerSecond, burst: config.rateSdkDeviceBurst },
    },
  });
  const app = createClientApi({
    db,
    access,
    isPushEndpoint: createPushServices(config),
    box: createSecretBox(encryptionKeysOf(config)),
    signer: createIdSigner(encryptionKeysOf(config), SMS_STATUS_PURPOSE),
    logger,
    clock,
    ids,
    publicBaseUrl: config.publicBaseUrl.replace(/\/+$/, ''),
  });
  const server = await listen(app, config);
  logger.info({ port: server.port }, 'listening');
  return {
    stopIntake: () => server.close(),
    async disconnect() {
      await access.close();
      await db.close();
    },
  };
}
