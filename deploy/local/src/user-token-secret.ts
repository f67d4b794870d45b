import { readFileSync, writeFileSync } from 'node:fs';
import { connectDatabase, readUserTokenSecrets } from '@tidings/db';
import { createSecretBox } from '@tidings/platform';
import { adminOf, callApi, type Credentials } from '@tidings/install';

export type UserTokenSecretOptions = {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  /** By which the service sealed what it knows of the secret. */
  readonly encryptionKey: string;
  readonly credentials: Pick<Credentials, 'applicationId' | 'adminToken'>;
  /** A secret is shown once, so it is kept here for the next start. */
  readonly secretFile: string;
};

type Kept = { readonly applicationId: string; readonly secret: string };

/** What the demonstration application signs user tokens with: that of the last start while it counts, so that tokens outlive a restart; else a new one. */
export async function ensureUserTokenSecret(options: UserTokenSecretOptions): Promise<string> {
  const { applicationId } = options.credentials;
  const kept = readKept(options.secretFile);
  if (kept?.applicationId === applicationId && (await doesCount(options, kept.secret))) return kept.secret;
  const { secret } = await callApi<{ secret: string }>(adminOf(options.baseUrl, options.credentials), { method: 'POST', path: `/api/v1/applications/${applicationId}/user-token-secret` });
  writeFileSync(options.secretFile, JSON.stringify({ applicationId, secret } satisfies Kept, null, 2), { mode: 0o600 });
  return secret;
}

/** Not so when somebody has made another one since, or the database is another. */
async function doesCount({ databaseUrl, encryptionKey, credentials }: UserTokenSecretOptions, secret: string): Promise<boolean> {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'local' });
  const [newest] = await readUserTokenSecrets(db, createSecretBox(encryptionKey), credentials.applicationId).finally(() => db.close());
  return newest === secret;
}

function readKept(file: string): Kept | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Kept;
  } catch {
    return undefined; // The first start.
  }
}
