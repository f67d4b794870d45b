import { callApi, type ApiAccess } from '@tidings/install';
import type { LocalFile } from '../local-file.ts';

/** A browser that has subscribed to web push, a phone with the app, and a screen that shows what comes by IN_APP and ON_SITE. */
const KINDS = ['web_push', 'fcm', 'none'];

/** Gives somebody devices: made by the sandbox, registered as the SDK does it, with a user token that the shop's back end has signed. */
export async function registerDevices(local: LocalFile, customUserId: string): Promise<void> {
  const sandbox: ApiAccess = { baseUrl: local.sandboxUrl, headers: {} };
  for (const kind of KINDS)
    await callApi(sandbox, { method: 'POST', path: '/api/devices', body: { customUserId, kind } });
}
