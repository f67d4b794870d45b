import { markChannelReady, writeChannelSettings } from '@tidings/accounts/channel-settings';
import type { Channel as SendingChannel, SendResult } from '@tidings/channel-worker';
import { testWorker } from '@tidings/channel-worker/testing/test-worker';
import { createClientApi } from '@tidings/client-api/src/server.ts';
import {
  ENCRYPTION_KEY,
  testDependencies,
} from '@tidings/client-api/src/testing/test-client-api.ts';
import type { Channel } from '@tidings/contracts/channels/channels';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { readChannelPause } from '@tidings/delivery/channel-pauses';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { createEgress } from '@tidings/egress';
import { freePorts } from '@tidings/local';
import { createLogger, listen, systemClock, systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { VonageCredentials } from '@tidings/sandbox/src/providers/vonage/application.ts';
import { startSandbox } from '@tidings/sandbox/src/service.ts';
import {
  connectTestDatabase,
  createTestApplication,
  expandAll,
  giveDevices,
  newCampaign,
  registerUsers,
  testSecretBox,
} from '@tidings/testing';
import { createAppPushChannel } from '@tidings/worker-app-push/src/app-push-channel.ts';
import { createEmailChannel } from '@tidings/worker-email/src/email-channel.ts';
import { createSmsChannel } from '@tidings/worker-sms/src/sms-channel.ts';
import { createWebHookChannel } from '@tidings/worker-web-hook/src/web-hook-channel.ts';
import { createWebPushChannel } from '@tidings/worker-web-push/src/web-push-channel.ts';
import { createECDH } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const TIMEOUT_MS = 5_000;
const unending = new AbortController().signal;
const DAY_MS = 24 * 3_600_000;
/** Addresses of each test user; phone numbers reserved for fiction. */
const PROFILE = {
  email: 'ada@example.org',
  phoneNumber: '+447700900001',
  phoneE164: '+447700900001',
};

/**
 * The sandbox (HTTP and SMTP), all channels as their workers create them, the delivery protocol
 * with a database, and client-api for callbacks.
 */
export async function startErrorRig() {
  const db = connectTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'tidings-errors-'));
  const context = { logger: createLogger('sandbox', 'silent'), clock: systemClock, ids: systemIds };
  const sandbox = await startSandbox(
    {
      host: '127.0.0.1',
      port: 0,
      hostnames: [],
      smtpPort: 0,
      dataDir,
      messagesMax: 1_000,
      hookSecret: '',
      reportUrl: '',
    },
    context,
  );
  const [port = 0, closedPort = 0] = await freePorts(2);
  const publicBaseUrl = `http://127.0.0.1:${port}`;
  const clientApi = await listen(createClientApi({ ...testDependencies(db), publicBaseUrl }), {
    host: '127.0.0.1',
    port,
  });
  const channels = createChannels(sandbox.url, publicBaseUrl);
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${sandbox.url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    if (!answer.ok)
      throw new Error(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  };
  return {
    db,
    call,
    url: sandbox.url,
    smtpPort: sandbox.smtpPort,
    closedPort,
    channels,
    async [Symbol.asyncDispose]() {
      await Promise.all(
        Object.values(channels).map((channel: SendingChannel) =>
          Promise.resolve(channel.close?.()),
        ),
      );
      await sandbox.stopIntake();
      await sandbox.disconnect();
      await clientApi.close();
      await db.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
export type ErrorRig = Awaited<ReturnType<typeof startErrorRig>>;

function createChannels(sandboxUrl: string, publicBaseUrl: string) {
  const tools = {
    egress: createEgress({ egressAllowedNetworks: ['127.0.0.1/32'] }),
    concurrency: 4,
  };
  const http = { egressPublicPorts: ['443'] };
  const signing = { encryptionKey: ENCRYPTION_KEY, previousEncryptionKey: '' };
  return {
    SMS: createSmsChannel(
      {
        ...http,
        ...signing,
        publicBaseUrl,
        twilioTimeoutMs: TIMEOUT_MS,
        vonageTimeoutMs: TIMEOUT_MS,
        pollAfterMs: DAY_MS,
        pollIntervalMs: DAY_MS,
        pollUntilMs: DAY_MS,
      },
      tools,
    ),
    EMAIL: createEmailChannel(
      {
        ...signing,
        publicBaseUrl,
        smtpConnectTimeoutMs: TIMEOUT_MS,
        smtpSocketTimeoutMs: TIMEOUT_MS,
      },
      tools,
    ),
    WEB_PUSH: createWebPushChannel(
      { ...http, webPushServices: [sandboxUrl], pushTimeoutMs: TIMEOUT_MS },
      tools,
    ),
    APP_PUSH: createAppPushChannel({ ...http, fcmTimeoutMs: TIMEOUT_MS }, tools),
    WEB_HOOK: createWebHookChannel({ ...http, hookTimeoutMs: TIMEOUT_MS }, tools),
  } satisfies Partial<Record<Channel, SendingChannel>>;
}
export type ProviderChannel = keyof ErrorRig['channels'];

/** One recipient of its own application, in a campaign ready to send. */
export type Subject = { readonly campaign: NewCampaign; readonly address: string | null };

/** @param own settings that differ */
export async function createSubject(
  rig: ErrorRig,
  channel: ProviderChannel,
  own: {
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly isUnreachable?: boolean;
    readonly provider?: string;
  },
): Promise<Subject> {
  const { db } = rig;
  const { applicationId } = await createTestApplication(db);
  const { settings, secrets, message, address } = await prepareSettings(rig, channel, own);
  await writeChannelSettings(db, testSecretBox, {
    applicationId,
    channel,
    settings: { ...settings, ...own.settings },
    secrets,
  });
  await markChannelReady(db, { applicationId, channel, version: 1 });
  const customUserId = systemIds.uuid();
  await registerUsers(db, applicationId, { [customUserId]: PROFILE });
  if (address !== null)
    await giveDevices(db, {
      applicationId,
      devices: { [customUserId]: [address] },
      channel: channel === 'APP_PUSH' ? 'APP_PUSH' : 'WEB_PUSH',
    });
  const campaign = newCampaign({
    applicationId,
    channel,
    message,
    recipients: [customUserId],
    expiresAt: Date.now() + DAY_MS,
  });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return { campaign, address };
}

type SetUp = {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly message: { readonly body: string };
  readonly address: string | null;
};

async function prepareSettings(
  { call, url, smtpPort, closedPort }: ErrorRig,
  channel: ProviderChannel,
  {
    isUnreachable = false,
    provider,
  }: { readonly isUnreachable?: boolean; readonly provider?: string },
): Promise<SetUp> {
  const base = isUnreachable ? `http://127.0.0.1:${closedPort}` : url;
  const message = { body: 'Hello' };
  switch (channel) {
    case 'SMS': {
      if (provider === 'vonage') {
        const { privateKey, signatureSecret, ...account } = await call<VonageCredentials>(
          'GET',
          '/vonage/application',
        );
        return {
          settings: { provider, ...account, from: '+15005550006', apiBaseUrl: base },
          secrets: { privateKey, signatureSecret },
          message,
          address: null,
        };
      }
      return {
        settings: {
          accountSid: `AC${systemIds.uuid().replaceAll('-', '')}`,
          from: '+15005550006',
          apiBaseUrl: base,
        },
        secrets: { authToken: 'a token' },
        message,
        address: null,
      };
    }
    case 'EMAIL':
      return {
        settings: {
          host: '127.0.0.1',
          port: isUnreachable ? closedPort : smtpPort,
          security: 'none',
          fromAddress: 'shop@example.com',
        },
        secrets: { password: 'secret' },
        message,
        address: null,
      };
    case 'WEB_HOOK':
      return {
        settings: { url: `${base}/hooks/errors` },
        secrets: { secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` },
        message,
        address: null,
      };
    case 'APP_PUSH': {
      const serviceAccount = JSON.stringify(await call('GET', '/push/service-account'));
      return {
        settings: { apiBaseUrl: base },
        secrets: { serviceAccount },
        message,
        address: `phone-${systemIds.uuid()}`,
      };
    }
    case 'WEB_PUSH': {
      const ecdh = createECDH('prime256v1');
      const publicKey = ecdh.generateKeys('base64url');
      const privateKey = Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()])
        .subarray(-32)
        .toString('base64url');
      const subscription = await call<object>('POST', '/push/subscriptions', {
        applicationServerKey: publicKey,
      });
      return {
        settings: { subject: 'mailto:ops@example.com', publicKey },
        secrets: { privateKey },
        message,
        address: JSON.stringify(subscription),
      };
    }
  }
}

/**
 * Sends the campaign by the delivery protocol. Returns the channel's result and the start time by
 * the database clock.
 */
export async function sendSubject(
  rig: ErrorRig,
  channel: ProviderChannel,
  { campaign }: Subject,
): Promise<{ readonly result: SendResult; readonly begunAt: number }> {
  const { rows } = await rig.db.sql.query<{ now: Date }>('select now()');
  const results: SendResult[] = [];
  const real = rig.channels[channel];
  const watched: SendingChannel = {
    async send(delivery) {
      const result = await real.send(delivery);
      results.push(result);
      return result;
    },
  };
  await testWorker(rig.db, watched, { channelName: channel }).handleChunk(
    { campaignId: campaign.campaignId, chunkNo: 0 },
    unending,
  );
  const [result, ...more] = results;
  if (result === undefined || more.length > 0)
    throw new Error(`The provider was called ${results.length} times, not once.`);
  return { result, begunAt: rows[0]?.now.getTime() ?? NaN };
}

/** The stored state afterwards. */
export async function readSubject(
  db: Database,
  channel: ProviderChannel,
  { campaign, address }: Subject,
) {
  const { applicationId, campaignId } = campaign;
  const [delivery] = await listDeliveries(db, campaignId, { limit: 1 });
  const { rows: due } = await db.sql.query<{ at: Date; now: Date }>(
    `select coalesce((select max(a.next_at) from delivery_addresses a where a.delivery_id = d.id), d.next_at) as at, now() from deliveries d where d.campaign_id = $1`,
    [campaignId],
  );
  const { rows: suppressed } = await db.sql.query(
    'select 1 from suppressions where application_id = $1 and channel = $2',
    [applicationId, channel],
  );
  const { rows: devices } = await db.sql.query<{ address: string | null }>(
    'select address from devices where application_id = $1',
    [applicationId],
  );
  return {
    // With several device addresses, each has its own state.
    delivery: delivery?.addresses?.[0]?.status ?? delivery?.status,
    reason: delivery?.reason ?? null,
    dueAt: due[0]?.at.getTime() ?? NaN,
    readAt: due[0]?.now.getTime() ?? NaN,
    address:
      suppressed.length > 0
        ? ('suppressed' as const)
        : address !== null && devices.every((device) => device.address === null)
          ? ('removed' as const)
          : ('kept' as const),
    isChannelPaused:
      (await readChannelPause(db.sql, { applicationId, channel, version: 1 })) !== null,
  };
}
