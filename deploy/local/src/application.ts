import { readFileSync, writeFileSync } from 'node:fs';
import {
  adminAccess,
  ApiError,
  callApi,
  createApplication,
  type Credentials,
} from '@tidings/install';

export type ApplicationOptions = {
  readonly baseUrl: string;
  readonly databaseUrl: string;
  /** The API shows keys only once, so they are kept here for the next start. */
  readonly credentialsFile: string;
};

/** Returns the demonstration application of the last start, or creates one. */
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

/** Removes the rate limit, so that a local load test measures the machine. */
export async function liftRates(baseUrl: string, credentials: Credentials): Promise<void> {
  const off = { perSecond: 0, burst: 1 };
  await callApi(adminAccess(baseUrl, credentials), {
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

/** False if the database was replaced or the keys were revoked. @throws on any other failure */
async function areAccepted(baseUrl: string, credentials: Credentials): Promise<boolean> {
  const { applicationId, serverKey } = credentials;
  try {
    await callApi(adminAccess(baseUrl, credentials), {
      path: `/api/v1/applications/${applicationId}`,
    });
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
    return undefined; // First start.
  }
}
