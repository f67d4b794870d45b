import { CHANNELS, isInboxChannel, type Channel } from '@tidings/contracts/channels/channels';
import { workerName } from '@tidings/contracts/topics';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, callApi } from '../api.ts';
import { adminAccess, type Credentials } from '../create-application.ts';

export type SandboxFacts = {
  readonly url: string;
  readonly smtpPort: number;
  readonly hookSecret: string;
  readonly bounceSecret: string;
};

type Settings = Readonly<Record<string, unknown>>;
type Connection = {
  readonly settings: Settings | (() => Promise<Settings>);
  /** Address of the test message. For web push, the sandbox creates a subscription. */
  readonly testAddress: string | ((written: Settings) => Promise<string>);
};

/** User whose devices receive test messages. */
export const OPERATOR = 'operator';
const REGISTERED_WITHIN_MS = 30_000;
const POLL_MS = 100;

/** Settings of each channel, with which it sends to the sandbox. */
function connectionsTo(
  { url, smtpPort, hookSecret, bounceSecret }: SandboxFacts,
  applicationId: string,
): Readonly<Record<Channel, Connection>> {
  return {
    EMAIL: {
      settings: {
        host: '127.0.0.1',
        port: smtpPort,
        security: 'none',
        fromAddress: 'hello@tidings.example',
        fromName: 'Tidings demonstration',
        // The sandbox sends bounce reports with the user and password of the e-mail.
        username: applicationId,
        password: bounceSecret,
        bounceSecret,
        bounceDomain: 'bounces.tidings.example',
      },
      testAddress: 'operator@tidings.example',
    },
    SMS: {
      settings: {
        accountSid: `AC${'0'.repeat(32)}`,
        authToken: 'any token will do',
        from: '+15005550006',
        apiBaseUrl: url,
      },
      testAddress: '+15005550100',
    },
    IN_APP: { settings: {}, testAddress: OPERATOR },
    ON_SITE: { settings: {}, testAddress: OPERATOR },
    WEB_HOOK: {
      settings: { url: `${url}/hooks/demonstration`, secret: hookSecret },
      testAddress: OPERATOR,
    },
    WEB_PUSH: {
      settings: { subject: 'mailto:operator@tidings.example' },
      testAddress: (written) => subscribeAt(url, written),
    },
    APP_PUSH: {
      settings: async () => ({
        serviceAccount: await callApi<object>(
          { baseUrl: url, headers: {} },
          { path: '/push/service-account' },
        ),
        apiBaseUrl: url,
      }),
      testAddress: 'phone-of-the-operator',
    },
  };
}

/** Creates a sandbox browser that subscribes with the application's VAPID key. */
async function subscribeAt(url: string, { publicKey }: Settings): Promise<string> {
  const subscription = await callApi<object>(
    { baseUrl: url, headers: {} },
    { method: 'POST', path: '/push/subscriptions', body: { applicationServerKey: publicKey } },
  );
  return JSON.stringify(subscription);
}

export type ChannelsOptions = {
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** Names of the running services. */ readonly started: readonly string[];
};

/**
 * Connects each channel that has a worker to the sandbox and sends the test message that enables
 * it. Skips channels without a worker.
 * @throws if a test send fails
 */
export async function connectChannels(
  { baseUrl, credentials, started }: ChannelsOptions,
  sandbox: SandboxFacts,
): Promise<void> {
  const admin = adminAccess(baseUrl, credentials);
  const all = connectionsTo(sandbox, credentials.applicationId);
  const connected = CHANNELS.filter((channel) => started.includes(workerName(channel)));
  // Inbox channels send to a user, who must be registered.
  if (connected.some(isInboxChannel)) await registerOperator(baseUrl, credentials);
  await Promise.all(
    connected.map(async (channel) => {
      const { settings, testAddress } = all[channel];
      const body = typeof settings === 'function' ? await settings() : settings;
      const written = await callApi<{ settings: Settings }>(admin, {
        method: 'PUT',
        path: `/api/v1/channels/${channel}`,
        body,
      });
      const to =
        typeof testAddress === 'function' ? await testAddress(written.settings) : testAddress;
      const result = await callApi<{ ok: boolean }>(admin, {
        method: 'POST',
        path: `/api/v1/channels/${channel}/test`,
        body: { to },
      });
      if (!result.ok)
        throw new Error(
          `The test send by ${channel} to the sandbox failed: ${JSON.stringify(result)}`,
        );
    }),
  );
}

/** @throws if the user is not stored in time */
async function registerOperator(
  baseUrl: string,
  { applicationId, serverKey }: Credentials,
): Promise<void> {
  const api = { baseUrl, headers: { 'X-Application-Id': applicationId, 'X-API-Key': serverKey } };
  const now = Date.now();
  await callApi(api, {
    method: 'POST',
    path: '/',
    body: {
      customUserId: OPERATOR,
      messages: [{ type: 'user', id: `${OPERATOR}-${now}`, time: now, firstName: 'Operator' }],
    },
  });
  for (;;) {
    try {
      await callApi(api, { path: `/api/v1/users/${OPERATOR}` });
      return;
    } catch (error) {
      if (
        !(error instanceof ApiError) ||
        error.status !== 404 ||
        Date.now() - now > REGISTERED_WITHIN_MS
      )
        throw error;
    }
    await delay(POLL_MS);
  }
}
