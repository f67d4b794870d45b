import { callApi } from './api.ts';
import { adminOf, type Credentials } from './application.ts';

export type ShopOptions = { readonly baseUrl: string; readonly sandboxUrl: string; readonly credentials: Credentials };

/** Makes the sandbox's shop a customer: of the demonstration application, with a secret to sign user tokens with. */
export async function connectShop({ baseUrl, sandboxUrl, credentials }: ShopOptions): Promise<void> {
  const { applicationId, clientKey, serverKey } = credentials;
  const { secret } = await callApi<{ secret: string }>(adminOf(baseUrl, credentials), { method: 'POST', path: `/api/v1/applications/${applicationId}/user-token-secret` });
  await callApi({ baseUrl: sandboxUrl, headers: {} }, { method: 'PUT', path: '/api/shop', body: { baseUrl, applicationId, clientKey, serverKey, userTokenSecret: secret } });
}
