import type { AutomationDefinition } from '@tidings/contracts/automations/definition';
import { adminAccess, callApi, type ApiAccess, type Credentials } from '@tidings/install';
import { RELEASE } from './installation.ts';
import type { ExternalServices } from './external-services.ts';
import type { Cluster } from './support/cluster.ts';
import { withForward } from './support/forward.ts';
import { until } from './support/until.ts';

/** An application of the installation whose EMAIL and SMS channels use the sandbox. */
export type Application = Credentials & {
  readonly headers: Readonly<Record<string, string>>;
  readonly users: readonly string[];
};

/**
 * A minute after each batch of a caller its person gets one mail, with the title of the batch: a
 * run for each value of its attribute. Without one a message enters no one.
 */
const AUTOMATION = 'called';
const DEFINITION: AutomationDefinition = {
  version: 1,
  name: 'Called',
  purpose: 'transactional',
  trigger: {
    event: { kind: 'action', name: 'called' },
  },
  entry: { again: 'always', key: 'batch' },
  nodes: [
    { id: 'minute', delay: '1m' },
    {
      id: 'mail',
      send: {
        channel: 'EMAIL',
        message: { title: '{{ event.attributes.batch }}', body: 'A minute later.' },
      },
    },
  ],
};

const USERS = 3_000;
const CALLS_AT_ONCE = 16;
const NO_LIMIT = { perSecond: 0, burst: 1 };

/**
 * Creates it as the chart's notes describe, connects two channels, and registers users with an
 * address for each.
 */
export async function prepareApplication(
  cluster: Cluster,
  external: ExternalServices,
): Promise<Application> {
  const made = await cluster.kubectl([
    'exec',
    `deployment/${RELEASE}-api`,
    '--',
    'node',
    'deploy/install/src/make-application.ts',
    'Cluster test',
  ]);
  const credentials = JSON.parse(made) as Credentials;
  const headers = {
    'X-Application-Id': credentials.applicationId,
    'X-API-Key': credentials.serverKey,
  };
  const users = Array.from({ length: USERS }, (_, index) => `person-${index}`);
  await withForward(cluster, `${RELEASE}-gateway`, (baseUrl) =>
    registerUsers({ baseUrl, headers }, users),
  );
  await withForward(cluster, `${RELEASE}-api`, async (baseUrl) => {
    const admin = adminAccess(baseUrl, credentials);
    const rates = {
      ingest: NO_LIMIT,
      push: NO_LIMIT,
      sdk: NO_LIMIT,
      sdkDevice: NO_LIMIT,
      ingestBytes: NO_LIMIT,
    };
    await callApi(admin, {
      method: 'PATCH',
      path: `/api/v1/applications/${credentials.applicationId}`,
      body: { settings: { rates } },
    });
    await until({ what: 'the users are registered', withinMs: 60_000 }, async () => {
      const { items } = await callApi<{ items: readonly unknown[] }>(
        { baseUrl, headers },
        { path: `/api/v1/users?search=${users.at(-1)}&limit=1` },
      );
      return items.length > 0 ? true : undefined;
    });
    await connect(admin, external);
    await activate(admin);
  });
  return { ...credentials, headers, users };
}

async function activate(admin: ApiAccess): Promise<void> {
  const path = `/api/v1/automations/${AUTOMATION}`;
  const event = { kind: 'action', name: AUTOMATION };
  await callApi(admin, { method: 'POST', path: '/api/v1/definitions', body: event });
  await callApi(admin, { method: 'PUT', path, body: DEFINITION });
  await callApi(admin, { method: 'POST', path: `${path}/activate`, body: {} });
}

async function registerUsers(api: ApiAccess, users: readonly string[]): Promise<void> {
  const waiting = [...users.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [index, customUserId] = next;
      const message = {
        type: 'user',
        id: `register-${customUserId}`,
        time: Date.now(),
        email: `${customUserId}@people.example`,
        phoneNumber: `+1202555${String(index).padStart(4, '0')}`,
      };
      await callApi(api, {
        method: 'POST',
        path: '/',
        body: { customUserId, messages: [message] },
      });
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}

async function connect(
  admin: ApiAccess,
  { host, smtpPort, sandboxUrl }: ExternalServices,
): Promise<void> {
  const channels = [
    {
      channel: 'EMAIL',
      to: 'operator@tidings.example',
      settings: {
        host,
        port: smtpPort,
        security: 'none',
        fromAddress: 'hello@tidings.example',
        fromName: 'Cluster test',
      },
    },
    {
      channel: 'SMS',
      to: '+15005550100',
      settings: {
        accountSid: `AC${'0'.repeat(32)}`,
        authToken: 'any token will do',
        from: '+15005550006',
        apiBaseUrl: sandboxUrl,
      },
    },
  ];
  for (const { channel, to, settings } of channels) {
    await callApi(admin, { method: 'PUT', path: `/api/v1/channels/${channel}`, body: settings });
    const result = await callApi<{ ok: boolean }>(admin, {
      method: 'POST',
      path: `/api/v1/channels/${channel}/test`,
      body: { to },
    });
    if (!result.ok)
      throw new Error(`The test send by ${channel} failed: ${JSON.stringify(result)}`);
  }
}
