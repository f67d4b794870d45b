import { callApi, type ApiAccess } from '../api.ts';
import type { LocalFile } from '../local-file.ts';

/**
 * Gives somebody a browser that has subscribed to web push, and a phone with the app: made by the sandbox, registered as the
 * SDK does it, with a user token that the shop's back end has signed. And a device that shows what comes by IN_APP and ON_SITE.
 */
export async function giveDevices(local: LocalFile, customUserId: string): Promise<void> {
  const sandbox: ApiAccess = { baseUrl: local.sandboxUrl, headers: {} };
  const sdk: ApiAccess = { baseUrl: local.baseUrl, headers: { 'X-Application-Id': local.applicationId, 'X-API-Key': local.clientKey } };
  const { vapidPublicKey } = await callApi<{ vapidPublicKey: string | null }>(sdk, { path: '/sdk/v1/config' });
  const { userToken } = await callApi<{ userToken: string }>(sandbox, { method: 'POST', path: '/shop/sign-in', body: { customUserId } });
  const { endpoint, keys } = await callApi<{ endpoint: string; keys: object }>(sandbox, { method: 'POST', path: '/push/subscriptions', body: { applicationServerKey: vapidPublicKey } });
  const register = (device: object): Promise<unknown> => callApi(sdk, { method: 'POST', path: '/sdk/v1/devices', body: { ...device, userToken, timeZone: 'Europe/London', locale: 'en' } });
  await register({ deviceId: `browser-of-${customUserId}`, kind: 'web_push', subscription: { endpoint, keys } });
  await register({ deviceId: `phone-of-${customUserId}`, kind: 'fcm', token: `phone-of-${customUserId}` });
  await callApi(sandbox, { method: 'POST', path: '/api/devices', body: { customUserId } });
}
