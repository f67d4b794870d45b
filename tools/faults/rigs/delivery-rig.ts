import { callApi, homeLayout, type ApiAccess } from '@tidings/local';
import { registerUsers } from '@tidings/testing';
import {
  SENT_CHANNELS,
  startDeliveryProxies,
  WORKERS,
  type DeliveryProxies,
  type SentChannel,
} from './delivery-proxies.ts';
import { startRig, type Rig, type RigStart, type TestApplication } from './rig.ts';
import { createSandboxControl, type SandboxControl } from './sandbox-control.ts';

/** Concurrent sends of a worker, and so the maximum ambiguous attempts after a kill. */
export const SEND_CONCURRENCY = 10;
/** Lease of a claim and of a send, in milliseconds; the second exceeds any provider timeout. */
export const CLAIM_LEASE_MS = 3_000;
export const SEND_LEASE_MS = 8_000;
/** Provider timeout of a worker, long enough for a healthy stand-in even on a busy machine. */
export const PROVIDER_TIMEOUT_MS = 5_000;

const ENVIRONMENT = {
  SEND_CONCURRENCY: String(SEND_CONCURRENCY),
  CLAIM_LEASE_MS: String(CLAIM_LEASE_MS),
  SEND_LEASE_MS: String(SEND_LEASE_MS),
  SMTP_CONNECT_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
  SMTP_SOCKET_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
  TWILIO_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
  HOOK_TIMEOUT_MS: String(PROVIDER_TIMEOUT_MS),
  POLL_AFTER_MS: '8000',
  POLL_INTERVAL_MS: '5000',
  SWEEP_INTERVAL_MS: '250',
  REDISPATCH_AFTER_MS: '2000',
  RECONCILE_INTERVAL_MS: '2000',
  DATABASE_STATEMENT_TIMEOUT_MS: '5000',
  LOG_LEVEL: 'info',
};

/** Includes the scheduler, which logs differences of counters; the rows check its log. */
const SERVICES = ['gateway', 'campaigns', 'scheduler', 'client-api', ...Object.values(WORKERS)];

/**
 * An application whose channels send to the sandbox through the proxies; its users have an address
 * for each.
 */
export type Sender = TestApplication & {
  readonly number: number;
  readonly access: ApiAccess;
  readonly admin: ApiAccess;
};

export type DeliveryRig = Rig<DeliveryProxies> & {
  readonly gatewayUrl: string;
  /** Settings of additional processes by name; set them before they start. */
  readonly instanceEnv: Map<string, Readonly<Record<string, string>>>;
  readonly sandbox: SandboxControl;
  /** By all channels, or by these alone. */
  newSenders(
    count: number,
    users: number,
    channels?: readonly SentChannel[],
  ): Promise<readonly Sender[]>;
  /** Drains additional processes that a row did not remove. */
  removeAdded(): Promise<void>;
};

export type DeliveryRigStart = RigStart & {
  /** Only these services; default: those needed by campaigns of these channels. */
  readonly services?: readonly string[];
  readonly instanceEnv?: DeliveryRig['instanceEnv'];
};

export async function startDeliveryRig({
  env,
  services = SERVICES,
  instanceEnv = new Map(),
  ...start
}: DeliveryRigStart): Promise<DeliveryRig> {
  const proxies = await startDeliveryProxies();
  const rig = await startRig({
    ...start,
    env: { ...ENVIRONMENT, ...env },
    brokers: 1,
    services,
    proxies,
    postgresPort: proxies.postgresPort,
    serviceEnv: (service, postgresAt): Readonly<Record<string, string>> => {
      const program = programOf(service);
      return {
        ...postgresAt(proxies.postgresPortOf(program)),
        ...(program.startsWith('worker-') &&
          start.bus !== 'postgres' && {
            KAFKA_BROKERS: `127.0.0.1:${proxies.workersToKafkaPort}`,
          }),
        // Signatures are not under test, and the secret of the sandbox is unknown here.
        ...(program === 'sandbox' && { HOOK_SECRET: '', MESSAGES_MAX: '2000000' }),
        ...instanceEnv.get(service),
      };
    },
  });
  try {
    const { local } = rig.tidings;
    await pointAtSandbox(rig);
    const isAdded = (name: string): boolean => programOf(name) !== name;
    let senders = 0;
    return Object.assign(rig, {
      instanceEnv,
      gatewayUrl: rig.tidings.serviceUrl('gateway'),
      sandbox: createSandboxControl(
        local.sandboxUrl,
        homeLayout(rig.tidings.home).dataDir('sandbox'),
      ),
      newSenders: async (
        count: number,
        users: number,
        channels: readonly SentChannel[] = SENT_CHANNELS,
      ) =>
        Promise.all(
          (await rig.newApplications(count)).map((application) =>
            prepareSender(rig, application, { number: (senders += 1), users, channels }),
          ),
        ),
      async removeAdded() {
        await Promise.all(
          rig.supervisor
            .list()
            .filter(({ name }) => isAdded(name))
            .map(({ name }) => rig.supervisor.remove(name)),
        );
      },
    });
  } catch (error) {
    await rig.stop();
    throw error;
  }
}

/** The demonstration application sends to the sandbox, so its settings name the SMTP port. */
async function pointAtSandbox({
  tidings: { local },
  adminHeaders,
  proxies,
}: Rig<DeliveryProxies>): Promise<void> {
  const demonstration = {
    baseUrl: local.baseUrl,
    headers: { ...adminHeaders, 'X-Application-Id': local.applicationId },
  };
  const { settings } = await callApi<{ readonly settings: { readonly port: number } }>(
    demonstration,
    { path: '/api/v1/channels/EMAIL' },
  );
  Object.assign(proxies.targets, {
    smtp: settings.port,
    http: Number(new URL(local.sandboxUrl).port),
  });
}

/** `worker-email-2` runs the program `worker-email`. */
function programOf(instance: string): string {
  return instance.replace(/-\d+$/, '');
}

/** No rate limit. */
export const RATE_OFF = { perSecond: 0, burst: 1 };
const ACCOUNT = `AC${'0'.repeat(32)}`;
const HOOK_SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** Points its channels at the proxies, sends a test message by each, and registers its users. */
async function prepareSender(
  { proxies, apiUrl, adminHeaders, db }: Rig<DeliveryProxies>,
  application: TestApplication,
  {
    number,
    users,
    channels,
  }: {
    readonly number: number;
    readonly users: number;
    readonly channels: readonly SentChannel[];
  },
): Promise<Sender> {
  const admin = {
    baseUrl: apiUrl,
    headers: { ...adminHeaders, 'X-Application-Id': application.id },
  };
  await callApi(admin, {
    method: 'PATCH',
    path: `/api/v1/applications/${application.id}`,
    body: { settings: { rates: { ingest: RATE_OFF, push: RATE_OFF } } },
  });
  const settings = buildSettings(proxies);
  for (const channel of channels)
    await connectChannel(admin, { channel, settings: settings[channel] });
  const profiles = Array.from({ length: users }, (_, user) => {
    const phone = addressOf('SMS', number, user);
    return [
      userOf(user),
      { email: addressOf('EMAIL', number, user), phoneNumber: phone, phoneE164: phone },
    ] as const;
  });
  await registerUsers(db, application.id, Object.fromEntries(profiles));
  return {
    ...application,
    number,
    admin,
    access: { baseUrl: apiUrl, headers: application.headers },
  };
}

/** Channel settings that lead through the proxies. */
export function buildSettings({
  providers,
}: DeliveryProxies): Readonly<Record<SentChannel, Readonly<Record<string, unknown>>>> {
  return {
    EMAIL: {
      host: '127.0.0.1',
      port: providers.EMAIL.port,
      security: 'none',
      fromAddress: 'hello@faults.example',
      fromName: 'Faults',
    },
    SMS: {
      accountSid: ACCOUNT,
      authToken: 'any token will do',
      from: '+15005550006',
      apiBaseUrl: `http://127.0.0.1:${providers.SMS.port}`,
    },
    WEB_HOOK: {
      url: `http://127.0.0.1:${providers.WEB_HOOK.port}/hooks/faults`,
      secret: HOOK_SECRET,
    },
  };
}

export const TEST_ADDRESSES = {
  EMAIL: 'operator@faults.example',
  SMS: '+15005550100',
  WEB_HOOK: 'operator',
} as const satisfies Record<SentChannel, string>;

/** Writes the settings of a channel and verifies them by a test send. @throws if it fails */
async function connectChannel(
  admin: ApiAccess,
  {
    channel,
    settings,
  }: { readonly channel: SentChannel; readonly settings: Readonly<Record<string, unknown>> },
): Promise<void> {
  await callApi(admin, { method: 'PUT', path: `/api/v1/channels/${channel}`, body: settings });
  const tested = await callApi<{ readonly ok: boolean }>(admin, {
    method: 'POST',
    path: `/api/v1/channels/${channel}/test`,
    body: { to: TEST_ADDRESSES[channel] },
  });
  if (!tested.ok) throw new Error(`the test send by ${channel} failed: ${JSON.stringify(tested)}`);
}

export function userOf(user: number): string {
  return `user-${user}`;
}

/** The unique address of a user of an application. Hooks include the user id. */
export function addressOf(channel: SentChannel, application: number, user: number): string {
  if (channel === 'EMAIL') return `user-${user}@application-${application}.example`;
  return channel === 'SMS'
    ? `+4915${String(application).padStart(3, '0')}${String(user).padStart(7, '0')}`
    : userOf(user);
}
