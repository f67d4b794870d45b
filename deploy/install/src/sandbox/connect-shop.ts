import { callApi } from '../api.ts';
import type { Credentials } from '../create-application.ts';

export type ShopOptions = {
  readonly baseUrl: string;
  readonly sandboxUrl: string;
  readonly credentials: Credentials;
  readonly userTokenSecret: string;
};

/** Connects the sandbox's shop to an application, with the secret for user tokens. */
export async function connectShop({
  baseUrl,
  sandboxUrl,
  credentials,
  userTokenSecret,
}: ShopOptions): Promise<void> {
  const { applicationId, clientKey, serverKey } = credentials;
  await callApi(
    { baseUrl: sandboxUrl, headers: {} },
    {
      method: 'PUT',
      path: '/api/shop',
      body: { baseUrl, applicationId, clientKey, serverKey, userTokenSecret },
    },
  );
}
