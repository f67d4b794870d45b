import {
  addOperatorDevice,
  connectChannels,
  connectShop,
  type Credentials,
} from '@tidings/install';
import { ensureApplication } from './application.ts';
import { deriveBounceSecret, deriveHookSecret } from './encryption-key.ts';
import { ensureUserTokenSecret } from './user-token-secret.ts';

export type ApplicationFacts = {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly encryptionKey: string;
  readonly credentialsFile: string;
  readonly userTokenSecretFile: string;
  readonly sandboxUrl: string;
  readonly smtpPort: number;
  /** Names of the services that run. */
  readonly started: readonly string[];
  /** Displays the test messages by IN_APP and ON_SITE on a device of the sandbox. */
  readonly hasOperatorDevice: boolean;
};

/** The demonstration application with its channels, connected to the sandbox and its shop. */
export async function prepareApplication({
  baseUrl,
  databaseUrl,
  encryptionKey,
  credentialsFile,
  userTokenSecretFile,
  sandboxUrl,
  smtpPort,
  started,
  hasOperatorDevice,
}: ApplicationFacts): Promise<Credentials> {
  const credentials = await ensureApplication({ baseUrl, databaseUrl, credentialsFile });
  await connectChannels(
    { baseUrl, credentials, started },
    {
      url: sandboxUrl,
      smtpPort,
      hookSecret: deriveHookSecret(encryptionKey),
      bounceSecret: deriveBounceSecret(encryptionKey),
    },
  );
  const userTokenSecret = await ensureUserTokenSecret({
    baseUrl,
    databaseUrl,
    encryptionKey,
    credentials,
    secretFile: userTokenSecretFile,
  });
  await connectShop({ baseUrl, sandboxUrl, credentials, userTokenSecret });
  if (hasOperatorDevice) await addOperatorDevice(sandboxUrl);
  return credentials;
}
