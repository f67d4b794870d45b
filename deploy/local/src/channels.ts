import { workerName, type Channel } from '@tidings/contracts';
import { callApi } from './api.ts';
import { adminOf, type Credentials } from './application.ts';

export type SandboxFacts = { readonly url: string; readonly smtpPort: number; readonly hookSecret: string; readonly bounceSecret: string };

type Settings = Readonly<Record<string, unknown>>;
type Connection = { readonly channel: Channel; readonly settings: Settings | (() => Promise<Settings>); /** Where the test send goes; a browser subscribes for it. */ readonly testAddress: string | ((written: Settings) => Promise<string>) };

/** How each channel of the demonstration application reaches the sandbox. */
function connectionsTo({ url, smtpPort, hookSecret, bounceSecret }: SandboxFacts, applicationId: string): readonly Connection[] {
  return [
    {
      channel: 'EMAIL',
      settings: {
        host: '127.0.0.1',
        port: smtpPort,
        security: 'none',
        fromAddress: 'hello@tidings.example',
        fromName: 'Tidings demonstration',
        // What the sandbox reports later of a mail comes with the user and password of the mail.
        username: applicationId,
        password: bounceSecret,
        bounceSecret,
        bounceDomain: 'bounces.tidings.example',
      },
      testAddress: 'operator@tidings.example',
    },
    {
      channel: 'SMS',
      settings: { accountSid: `AC${'0'.repeat(32)}`, authToken: 'any token will do', from: '+15005550006', apiBaseUrl: url },
      testAddress: '+15005550100',
    },
    { channel: 'WEB_HOOK', settings: { url: `${url}/hooks/demonstration`, secret: hookSecret }, testAddress: 'operator' },
    { channel: 'WEB_PUSH', settings: { subject: 'mailto:operator@tidings.example' }, testAddress: (written) => subscribeAt(url, written) },
    {
      channel: 'APP_PUSH',
      settings: async () => ({ serviceAccount: await callApi<object>({ baseUrl: url, headers: {} }, { path: '/push/service-account' }), apiBaseUrl: url }),
      testAddress: 'phone-of-the-operator',
    },
  ];
}

/** A browser of the sandbox that subscribes with the application's key. */
async function subscribeAt(url: string, { publicKey }: Settings): Promise<string> {
  const subscription = await callApi<object>({ baseUrl: url, headers: {} }, { method: 'POST', path: '/push/subscriptions', body: { applicationServerKey: publicKey } });
  return JSON.stringify(subscription);
}

export type ChannelsOptions = { readonly baseUrl: string; readonly credentials: Credentials; /** Names of the services that run. */ readonly started: readonly string[] };

/**
 * Points every channel that has a worker here at the sandbox and sends one test message, without which the channel would
 * not send. A channel without a worker is left alone.
 * @throws when a test send fails
 */
export async function connectChannels({ baseUrl, credentials, started }: ChannelsOptions, sandbox: SandboxFacts): Promise<void> {
  const admin = adminOf(baseUrl, credentials);
  const connections = connectionsTo(sandbox, credentials.applicationId).filter(({ channel }) => started.includes(workerName(channel)));
  await Promise.all(
    connections.map(async ({ channel, settings, testAddress }) => {
      const body = typeof settings === 'function' ? await settings() : settings;
      const written = await callApi<{ settings: Settings }>(admin, { method: 'PUT', path: `/api/v1/channels/${channel}`, body });
      const to = typeof testAddress === 'function' ? await testAddress(written.settings) : testAddress;
      const result = await callApi<{ ok: boolean }>(admin, { method: 'POST', path: `/api/v1/channels/${channel}/test`, body: { to } });
      if (!result.ok) throw new Error(`The test send by ${channel} to the sandbox failed: ${JSON.stringify(result)}`);
    }),
  );
}
