import { callApi, type ApiAccess } from '@tidings/install';
import type { LocalFile } from '../local-file.ts';

/**
 * Device kinds: a browser with web push, a phone with the app, and a screen for IN_APP and ON_SITE.
 */
const KINDS = ['web_push', 'fcm', 'none'];

/**
 * Creates sandbox devices for a user. The sandbox registers them through the SDK API, with a user
 * token signed by the shop.
 */
export async function registerDevices(local: LocalFile, customUserId: string): Promise<void> {
  const sandbox: ApiAccess = { baseUrl: local.sandboxUrl, headers: {} };
  for (const kind of KINDS)
    await callApi(sandbox, { method: 'POST', path: '/api/devices', body: { customUserId, kind } });
}
