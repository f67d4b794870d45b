import type { Channel } from '@tidings/contracts/channels/channels';
import { callApi, type ApiAccess } from '@tidings/local';
import { updateApplication } from '@tidings/people/update-application';
import { registerUsers } from '@tidings/testing';
import { RATE_OFF, userOf } from './delivery-rig.ts';
import type { Rig, TestApplication } from './rig.ts';

/** Channels that reach a device. */
export const DEVICE_CHANNELS = [
  'IN_APP',
  'ON_SITE',
  'WEB_PUSH',
  'APP_PUSH',
] as const satisfies readonly Channel[];
export type DeviceChannel = (typeof DEVICE_CHANNELS)[number];

/** An application whose users have devices: one that listens, one browser with push, one phone. */
export type Audience = TestApplication & {
  readonly admin: ApiAccess;
  /** Headers with its Client key. */
  readonly clientHeaders: Readonly<Record<string, string>>;
  /** Id of the listening device, by user. */
  readonly listeners: ReadonlyMap<string, string>;
};

export type AudienceOptions = {
  readonly users: number;
  /** URL for device registration. */
  readonly clientApiUrl: string;
};

/** Creates the application; its channels send to the sandbox. */
export async function newAudience(
  rig: Pick<Rig, 'apiUrl' | 'adminHeaders' | 'db' | 'newApplications' | 'tidings'>,
  { users, clientApiUrl }: AudienceOptions,
): Promise<Audience> {
  const [application] = await rig.newApplications(1);
  if (application === undefined) throw new Error('no application was made');
  const admin = {
    baseUrl: rig.apiUrl,
    headers: { ...rig.adminHeaders, 'X-Application-Id': application.id },
  };
  const sandbox = { baseUrl: rig.tidings.local.sandboxUrl, headers: {} };
  // Before its keys are first used, because key settings are cached.
  await updateApplication(rig.db, application.id, {
    settings: {
      userTokens: 'optional',
      sendUntested: true,
      rates: { ingest: RATE_OFF, push: RATE_OFF },
    },
  });
  const { key } = await callApi<{ readonly key: string }>(admin, {
    method: 'POST',
    path: '/api/v1/keys',
    body: { type: 'client', name: 'Devices' },
  });
  const publicKey = await connectDeviceChannels(admin, sandbox);
  const people = Array.from({ length: users }, (_, user) => userOf(user));
  await registerUsers(rig.db, application.id, people);
  const clientHeaders = { 'X-Application-Id': application.id, 'X-API-Key': key };
  const register = (body: object): Promise<unknown> =>
    callApi(
      { baseUrl: clientApiUrl, headers: clientHeaders },
      { method: 'POST', path: '/sdk/v1/devices', body },
    );
  const listeners = new Map<string, string>();
  for (const customUserId of people) {
    const deviceId = `listener-of-${customUserId}`;
    const subscription = await callApi<object>(sandbox, {
      method: 'POST',
      path: '/push/subscriptions',
      body: { applicationServerKey: publicKey },
    });
    await register({ deviceId, kind: 'none', customUserId });
    await register({
      deviceId: `browser-of-${customUserId}`,
      kind: 'web_push',
      subscription,
      customUserId,
    });
    await register({
      deviceId: `phone-of-${customUserId}`,
      kind: 'fcm',
      token: `phone-of-${application.id}-${customUserId}`,
      customUserId,
    });
    listeners.set(customUserId, deviceId);
  }
  return { ...application, admin, clientHeaders, listeners };
}

/** Returns the public key for subscriptions of browsers. */
async function connectDeviceChannels(admin: ApiAccess, sandbox: ApiAccess): Promise<string> {
  const write = <T>(channel: DeviceChannel, body: object): Promise<T> =>
    callApi<T>(admin, { method: 'PUT', path: `/api/v1/channels/${channel}`, body });
  await Promise.all([write('IN_APP', {}), write('ON_SITE', {})]);
  const { settings } = await write<{ readonly settings: { readonly publicKey: string } }>(
    'WEB_PUSH',
    { subject: 'mailto:operator@faults.example' },
  );
  await write('APP_PUSH', {
    serviceAccount: await callApi<object>(sandbox, { path: '/push/service-account' }),
    apiBaseUrl: sandbox.baseUrl,
  });
  return settings.publicKey;
}
