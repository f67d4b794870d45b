import { readFileSync, writeFileSync } from 'node:fs';
import { adminOf, ApiError, callApi, createApplication, type Credentials } from '@tidings/install';

export type ApplicationOptions = {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  /** Keys are shown once, so they are kept here for the next start. */
  readonly credentialsFile: string;
};

/** The demonstration application of this database: the one of the last start, else a new one. */
export async function ensureApplication(options: ApplicationOptions): Promise<Credentials> {
  const kept = readCredentials(options.credentialsFile);
  if (kept !== undefined && (await areAccepted(options.baseUrl, kept))) {
    await liftRates(options.baseUrl, kept);
    return kept;
  }
  const { baseUrl, databaseUrl } = options;
  const made = await createApplication({
    baseUrl,
    databaseUrl,
    name: 'Demonstration',
    tokenName: 'npm start',
  });
  writeFileSync(options.credentialsFile, JSON.stringify(made, null, 2), { mode: 0o600 });
  await liftRates(options.baseUrl, made);
  return made;
}

/** Whoever tries how fast it is should meet the machine, not the rate of an application. */
async function liftRates(baseUrl: string, credentials: Credentials): Promise<void> {
  const off = { perSecond: 0, burst: 1 };
  await callApi(adminOf(baseUrl, credentials), {
    method: 'PATCH',
    path: `/api/v1/applications/${credentials.applicationId}`,
    body: {
      settings: {
        rates: {
          ingest: off,
          ingestClient: off,
          ingestClientAddress: off,
          ingestBytes: off,
          push: off,
          sdk: off,
          sdkDevice: off,
        },
      },
    },
  });
}

/** Not so when the database is another, or somebody has revoked them. Any other failure is not an answer. */
async function areAccepted(baseUrl: string, credentials: Credentials): Promise<boolean> {
  const { applicationId, serverKey } = credentials;
  try {
    await callApi(adminOf(baseUrl, credentials), { path: `/api/v1/applications/${applicationId}` });
    await callApi(
      { baseUrl, headers: { 'X-Application-Id': applicationId, 'X-API-Key': serverKey } },
      { path: '/api/v1/campaigns?limit=1' },
    );
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
}

function readCredentials(file: string): Credentials | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  } catch {
    return undefined; // The first start.
  }
}
