import { createAdminToken } from '@tidings/accounts/admin-tokens';
import { connectDatabase } from '@tidings/postgres/database';
import { callApi, type ApiAccess } from './api.ts';

/** An application and the ways in. */
export type Credentials = {
  readonly applicationId: string;
  readonly serverKey: string;
  readonly clientKey: string;
  readonly adminToken: string;
};

export type NewApplication = {
  /** Where `/api/v1` answers. */
  readonly baseUrl: string;
  readonly databaseUrl: string;
  readonly name: string;
  /** Whom the administrator token is for. */
  readonly tokenName: string;
};

/** Makes an application with a key of each type, and an administrator token; all texts are shown this once. */
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
  const admin = adminOf(baseUrl, { adminToken, applicationId });
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

/** What the administrator token of the application is sent with. */
export function adminOf(
  baseUrl: string,
  { adminToken, applicationId }: Pick<Credentials, 'adminToken' | 'applicationId'>,
): ApiAccess {
  return {
    baseUrl,
    headers: { Authorization: `Bearer ${adminToken}`, 'X-Application-Id': applicationId },
  };
}
