import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { createEgress, createEgressHttp, createPushServices } from '@tidings/egress';
import { systemIds } from '@tidings/platform';
import { attemptWebhook } from '@tidings/webhooks/src/attempt.ts';
import { createAppPushChannel } from '@tidings/worker-app-push/src/app-push-channel.ts';
import { createEmailChannel } from '@tidings/worker-email/src/email-channel.ts';
import { createSmsChannel } from '@tidings/worker-sms/src/sms-channel.ts';
import { createWebHookChannel } from '@tidings/worker-web-hook/src/web-hook-channel.ts';
import { createWebPushChannel } from '@tidings/worker-web-push/src/web-push-channel.ts';
import { createECDH, generateKeyPairSync, randomBytes } from 'node:crypto';
import webPush from 'web-push';

const TIMEOUT_MS = 5_000;
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const SIGNING = {
  encryptionKey: 'a key for tests, of thirty-two characters',
  previousEncryptionKey: '',
  publicBaseUrl: 'https://tidings.example',
};

/** Result of a call to a user-supplied address; distinguishes a rejected address from a failure. */
export type Outcome = Pick<SendResult, 'status' | 'providerCode'>;
/** Every code path that calls a user-supplied address, over any protocol. */
export type OutboundPath = {
  readonly name: string;
  readonly call: (url: string) => Promise<Outcome>;
};

type Facts = {
  readonly allowedNetworks?: readonly string[];
  readonly resolve: NonNullable<Parameters<typeof createEgress>[1]>;
};

/** @param facts allowed networks, and the resolver */
export function openOutboundPaths({ allowedNetworks = [], resolve }: Facts): {
  readonly paths: readonly OutboundPath[];
  readonly close: () => Promise<void>;
} {
  const config = { egressAllowedNetworks: allowedNetworks, egressPublicPorts: ['443'] };
  const tools = { egress: createEgress(config, resolve), concurrency: 2 };
  const webHook = createWebHookChannel({ ...config, hookTimeoutMs: TIMEOUT_MS }, tools);
  const sms = createSmsChannel(
    {
      ...config,
      ...SIGNING,
      twilioTimeoutMs: TIMEOUT_MS,
      vonageTimeoutMs: TIMEOUT_MS,
      pollAfterMs: 1_000,
      pollIntervalMs: 1_000,
      pollUntilMs: 1_000,
    },
    tools,
  );
  const appPush = createAppPushChannel({ ...config, fcmTimeoutMs: TIMEOUT_MS }, tools);
  const email = createEmailChannel(
    { ...SIGNING, smtpConnectTimeoutMs: TIMEOUT_MS, smtpSocketTimeoutMs: TIMEOUT_MS },
    tools,
  );
  const http = createEgressHttp(config, { egress: tools.egress, connections: 2 });
  const account = serviceAccount();
  const paths: OutboundPath[] = [
    {
      name: 'the url of a WEB_HOOK message',
      call: (url) =>
        webHook.send(
          delivery({ message: { body: 'x', url }, settings: {}, secrets: { secret: SECRET } }),
        ),
    },
    {
      name: 'the url of the WEB_HOOK settings',
      call: (url) => webHook.send(delivery({ settings: { url }, secrets: { secret: SECRET } })),
    },
    {
      name: 'apiBaseUrl of SMS',
      call: (url) =>
        sms.send(
          delivery({
            address: '+447700900001',
            settings: { accountSid: `AC${'0'.repeat(32)}`, from: '+15005550006', apiBaseUrl: url },
            secrets: { authToken: 'a token' },
          }),
        ),
    },
    {
      name: 'apiBaseUrl of SMS by Vonage',
      call: (url) =>
        sms.send(
          delivery({
            address: '+447700900001',
            settings: {
              provider: 'vonage',
              applicationId: systemIds.uuid(),
              from: '+15005550006',
              apiBaseUrl: url,
            },
            secrets: { privateKey: account.private_key },
          }),
        ),
    },
    {
      name: 'token_uri of APP_PUSH',
      call: (url) =>
        appPush.send(
          delivery({
            address: 'phone',
            secrets: { serviceAccount: JSON.stringify({ ...account, token_uri: url }) },
          }),
        ),
    },
    {
      name: 'the host of EMAIL',
      call: (url) =>
        email.send(
          delivery({
            address: 'ada@example.org',
            settings: { ...parseHost(url), security: 'none', fromAddress: 'shop@example.com' },
          }),
        ),
    },
    { name: 'a webhook endpoint', call: (url) => toWebhook(url, http) },
    {
      name: 'the endpoint of a subscription',
      call: (url) => toSubscription(url, ['*.push.example'], { config, tools }),
    },
    {
      name: 'the endpoint of a subscription at a push service that is known',
      call: (url) => toSubscription(url, knownAs(url), { config, tools }),
    },
  ];
  return {
    paths,
    close: async () =>
      void (await Promise.all([
        webHook.close?.(),
        sms.close?.(),
        appPush.close?.(),
        email.close?.(),
        http.close(),
      ])),
  };
}

async function toWebhook(url: string, http: ReturnType<typeof createEgressHttp>): Promise<Outcome> {
  const webhook = {
    url,
    eventId: 'evt_1',
    type: 'webhook.ping',
    occurredAt: new Date(),
    applicationId: systemIds.uuid(),
    data: {},
    secrets: [SECRET],
  } as Parameters<typeof attemptWebhook>[1];
  const result = await attemptWebhook(http, webhook, {
    sentAtMs: Date.now(),
    timeoutMs: TIMEOUT_MS,
  });
  return 'error' in result
    ? { status: 'permanent', providerCode: result.error }
    : { status: 'sent', providerCode: String(result.statusCode) };
}

type PushFacts = {
  readonly config: { readonly egressPublicPorts: readonly string[] };
  readonly tools: Parameters<typeof createWebPushChannel>[1];
};

async function toSubscription(
  url: string,
  webPushServices: readonly string[],
  { config, tools }: PushFacts,
): Promise<Outcome> {
  const ecdh = createECDH('prime256v1');
  const address = JSON.stringify({
    endpoint: url,
    keys: { p256dh: ecdh.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') },
  });
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  const channel = createWebPushChannel(
    { ...config, webPushServices, pushTimeoutMs: TIMEOUT_MS },
    tools,
  );
  try {
    return await channel.send(
      delivery({
        address,
        settings: { subject: 'mailto:ops@example.com', publicKey },
        secrets: { privateKey },
      }),
    );
  } finally {
    await channel.close?.();
  }
}

/**
 * The origin as an additional push service, as an operator configures it; an invalid one is not in
 * any known service.
 */
function knownAs(url: string): readonly string[] {
  try {
    const services = [new URL(url).origin];
    createPushServices({ webPushServices: services });
    return services;
  } catch {
    return ['*.push.example'];
  }
}

function parseHost(url: string): { readonly host: string; readonly port: number } {
  const [, raw = url, port] =
    /^[a-z]+:(?:\/\/)?\s*(?:[^@/]*@)?(\[[^\]]*\]|[^:/]*)(?::(\d+))?/.exec(url) ?? [];
  // As typed into the settings, not normalised by a URL parser.
  return { host: raw.replace(/^\[|\]$/g, ''), port: Number(port ?? 25) };
}

function serviceAccount() {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2_048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return {
    project_id: 'shop',
    client_email: 'push@shop.iam.gserviceaccount.com',
    private_key: privateKey,
  };
}

function delivery(own: Partial<OutgoingDelivery>): OutgoingDelivery {
  return {
    deliveryId: systemIds.uuid(),
    fence: 1,
    campaignId: systemIds.uuid(),
    applicationId: systemIds.uuid(),
    customUserId: 'ada',
    serviceUserId: null,
    address: '',
    message: { body: 'Hello' },
    defaultSubject: null,
    purpose: 'transactional',
    isTracked: false,
    expiresAt: Date.now() + 86_400_000,
    settings: {},
    secrets: {},
    accountKey: 'application',
    settingsKey: `${systemIds.uuid()}:1`,
    mayBegin: () => true,
    signal: new AbortController().signal,
    ...own,
  };
}
