import { createAdminToken } from '@tidings/accounts/admin-tokens';
import { connectDatabase } from '@tidings/postgres/database';
import { callApi, type ApiAccess } from './api.ts';

/** An application with its keys and administrator token. */
export type Credentials = {
  readonly applicationId: string;
  readonly serverKey: string;
  readonly clientKey: string;
  readonly adminToken: string;
};

export type NewApplication = {
  /** Base URL of `/api/v1`. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly name: string;
  /** Name of the administrator token, e.g. its user. */
  readonly tokenName: string;
};

/**
 * Creates an application with a key of each type and an administrator token. The secrets are not
 * shown again.
 */
export async function createApplication({
  baseUrl,
  databaseUrl,
  name,
  tokenName,
}: NewApplication): Promise<Credentials> {
  const db = connectDatabase({ databaseUrl, poolMax: 1, applicationName: 'install' });
  const { token: adminToken } = await createAdminToken(db, { name: tokenName }).finally(() =>
    db.close(),
  );
  const withoutApplication: ApiAccess = {
    baseUrl,
    headers: { Authorization: `Bearer ${adminToken}` },
  };
  const { applicationId } = await callApi<{ applicationId: string }>(withoutApplication, {
    method: 'POST',
    path: '/api/v1/applications',
    body: { name },
  });
  const admin = adminAccess(baseUrl, { adminToken, applicationId });
  const createKey = async (type: 'server' | 'client'): Promise<string> => {
    const { key } = await callApi<{ key: string }>(admin, {
      method: 'POST',
      path: '/api/v1/keys',
      body: { type, name: `${name} ${type}` },
    });
    return key;
  };
  return {
    applicationId,
    serverKey: await createKey('server'),
    clientKey: await createKey('client'),
    adminToken,
  };
}

/** Headers of an administrator's request. */
export function adminAccess(
  baseUrl: string,
  { adminToken, applicationId }: Pick<Credentials, 'adminToken' | 'applicationId'>,
): ApiAccess {
  return {
    baseUrl,
    headers: { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': applicationId },
  };
}
