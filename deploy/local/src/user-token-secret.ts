import { readUserTokenSecrets } from '@tidings/accounts/user-token-secrets';
import { adminAccess, callApi, type Credentials } from '@tidings/install';
import { createSecretBox } from '@tidings/platform';
import { connectDatabase } from '@tidings/postgres/database';
import { writeFileSync } from 'node:fs';

export type UserTokenSecretOptions = {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  /** The key with which the service encrypts the secret. */
  readonly encryptionKey: string;
  readonly credentials: Pick<Credentials, 'applicationId' | 'adminToken'>;
  /** Kept here, because the service shows a secret only once. */
  readonly secretFile: string;
};

/**
 * The secret that the demonstration application signs user tokens with. Returns the newest one, so
 * that tokens survive a restart and a secret changed in the dashboard stays; creates the first.
 */
export async function ensureUserTokenSecret(options: UserTokenSecretOptions): Promise<string> {
  const { applicationId } = options.credentials;
  const secret = (await newestSecret(options)) ?? (await makeSecret(options));
  writeFileSync(options.secretFile, JSON.stringify({ applicationId, secret }, null, 2), {
    mode: 0o600,
  });
  return secret;
}

async function newestSecret({
  databaseUrl,
  encryptionKey,
  credentials,
}: UserTokenSecretOptions): Promise<string | undefined> {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'local' });
  const [newest] = await readUserTokenSecrets(
    db,
    createSecretBox(encryptionKey),
    credentials.applicationId,
  ).finally(() => db.close());
  return newest;
}

async function makeSecret({ baseUrl, credentials }: UserTokenSecretOptions): Promise<string> {
  const path = `/api/v1/applications/${credentials.applicationId}/user-token-secret`;
  const { secret } = await callApi<{ secret: string }>(adminAccess(baseUrl, credentials), {
    method: 'POST',
    path,
  });
  return secret;
}
