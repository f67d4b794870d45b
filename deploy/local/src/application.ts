import { readFileSync, writeFileSync } from 'node:fs';
import { connectDatabase, createAdminToken } from '@tidings/db';
import { ApiError, callApi, type ApiAccess } from './api.ts';

/** The application that `npm start` makes for trying things, and the ways in. */
export type Credentials = {
  readonly applicationId: string;
  readonly serverKey: string;
  readonly clientKey: string;
  readonly adminToken: string;
};

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
  const made = await createApplication(options);
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
    body: { settings: { rates: { ingest: off, push: off, sdk: off, sdkDevice: off } } },
  });
}

async function createApplication({ baseUrl, databaseUrl }: ApplicationOptions): Promise<Credentials> {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'local' });
  const adminToken = await createAdminToken(db, { name: 'npm start' }).finally(() => db.close());
  const withoutApplication: ApiAccess = { baseUrl, headers: { Authorization: `Bearer ${adminToken}` } };
  const { applicationId } = await callApi<{ applicationId: string }>(withoutApplication, {
    method: 'POST',
    path: '/api/v1/applications',
    body: { name: 'Demonstration' },
  });
  const admin = adminOf(baseUrl, { adminToken, applicationId });
  const createKey = async (type: 'server' | 'client'): Promise<string> => {
    const { key } = await callApi<{ key: string }>(admin, { method: 'POST', path: '/api/v1/keys', body: { type, name: `Demonstration ${type}` } });
    return key;
  };
  return { applicationId, serverKey: await createKey('server'), clientKey: await createKey('client'), adminToken };
}

/** Not so when the database is another, or somebody has revoked them. Any other failure is not an answer. */
async function areAccepted(baseUrl: string, credentials: Credentials): Promise<boolean> {
  const { applicationId, serverKey } = credentials;
  try {
    await callApi(adminOf(baseUrl, credentials), { path: `/api/v1/applications/${applicationId}` });
    await callApi({ baseUrl, headers: { 'X-Application-Id': applicationId, 'X-API-Key': serverKey } }, { path: '/api/v1/campaigns?limit=1' });
    return true;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return false;
    throw error;
  }
}

/** What the administrator token of the application is sent with. */
export function adminOf(baseUrl: string, { adminToken, applicationId }: Pick<Credentials, 'adminToken' | 'applicationId'>): ApiAccess {
  return { baseUrl, headers: { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': applicationId } };
}

function readCredentials(file: string): Credentials | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Credentials;
  } catch {
    return undefined; // The first start.
  }
}
