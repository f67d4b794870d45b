import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { OutgoingDelivery, SendResult } from '@tidings/channel-worker';
import { createEgress, createPushServices } from '@tidings/egress';
import { createLogger, systemClock, systemIds } from '@tidings/platform';
import { startSandbox } from '@tidings/sandbox/src/service.ts';
import { createAppPushChannel } from '@tidings/worker-app-push/src/app-push-channel.ts';
import { createWebPushChannel } from '@tidings/worker-web-push/src/web-push-channel.ts';
import { createECDH } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SUBJECT = 'mailto:ops@example.com';
type Message = {
  readonly to: string;
  readonly title: string | null;
  readonly body: string;
  readonly deliveryId: string;
  readonly campaignId: string;
  readonly data: Readonly<Record<string, unknown>>;
};
type Subscription = {
  readonly subscriptionId: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
};

function newVapidKeys() {
  const ecdh = createECDH('prime256v1');
  const publicKey = ecdh.generateKeys('base64url');
  return {
    publicKey,
    privateKey: Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()])
      .subarray(-32)
      .toString('base64url'),
  };
}

/** The sandbox and both channels as their workers create them, over HTTP. */
async function startRig({ timeoutMs = 30_000 } = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tidings-push-'));
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
    { logger: createLogger('sandbox', 'silent'), clock: systemClock, ids: systemIds },
  );
  const tools = {
    egress: createEgress({ egressAllowedNetworks: ['127.0.0.1/32'] }),
    concurrency: 4,
  };
  const webPush = createWebPushChannel(
    { egressPublicPorts: ['443'], webPushServices: [sandbox.url], pushTimeoutMs: timeoutMs },
    tools,
  );
  const appPush = createAppPushChannel(
    { egressPublicPorts: ['443'], fcmTimeoutMs: timeoutMs },
    tools,
  );
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await fetch(`${sandbox.url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  };
  return {
    url: sandbox.url,
    call,
    webPush,
    appPush,
    serviceAccount: JSON.stringify(await call('GET', '/push/service-account')),
    messages: async (channel: string) =>
      (await call<{ messages: readonly Message[] }>('GET', `/api/messages?channel=${channel}`))
        .messages,
    async [Symbol.asyncDispose]() {
      await Promise.all([webPush.close?.(), appPush.close?.()]);
      await sandbox.stopIntake();
      await sandbox.disconnect();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
type Rig = Awaited<ReturnType<typeof startRig>>;

function delivery(overrides: Partial<OutgoingDelivery>): OutgoingDelivery {
  return {
    deliveryId: systemIds.uuid(),
    fence: 1,
    campaignId: systemIds.uuid(),
    applicationId: '00000000-0000-7000-8000-000000000001',
    customUserId: 'ada',
    serviceUserId: null,
    address: '',
    message: { title: 'Hello', body: 'Grüße' },
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
    ...overrides,
  };
}

const keys = newVapidKeys();
const ofWebPush = ({ publicKey, privateKey } = keys) => ({
  settings: { subject: SUBJECT, publicKey },
  secrets: { privateKey },
  settingsKey: publicKey,
});
const ofAppPush = ({ url, serviceAccount }: Rig) => ({
  settings: { apiBaseUrl: url },
  secrets: { serviceAccount },
});

/** Sends one message to a new device by either channel. */
async function send(
  rig: Rig,
  channel: string,
  overrides: Partial<OutgoingDelivery> = {},
): Promise<SendResult> {
  if (channel === 'APP_PUSH')
    return rig.appPush.send(delivery({ address: 'phone-1', ...ofAppPush(rig), ...overrides }));
  const subscription = await rig.call<Subscription>('POST', '/push/subscriptions', {
    applicationServerKey: keys.publicKey,
  });
  return rig.webPush.send(
    delivery({ address: JSON.stringify(subscription), ...ofWebPush(), ...overrides }),
  );
}

describe('a push to a browser', () => {
  test('arrives decrypted, as the service worker reads it', async () => {
    await using rig = await startRig();
    const message = {
      title: 'Hello',
      body: 'Grüße 👋',
      url: 'https://shop.example/orders',
      icon: 'https://shop.example/icon.png',
      images: [{ url: 'https://shop.example/1.png' }, { url: 'https://shop.example/2.png' }],
      buttons: [{ label: 'Open', link: 'https://shop.example/open' }],
    };
    const deliveryId = systemIds.uuid();
    const campaignId = systemIds.uuid();

    expect(await send(rig, 'WEB_PUSH', { deliveryId, campaignId, message })).toMatchObject({
      status: 'sent',
      providerCode: '201',
    });

    const [kept] = await rig.messages('WEB_PUSH');
    const { images, ...rest } = message;
    expect(kept).toMatchObject({
      deliveryId,
      campaignId,
      title: 'Hello',
      body: 'Grüße 👋',
      data: {
        notification: { ...rest, deliveryId, campaignId, image: images[0]?.url, tag: deliveryId },
        ttl: 2_419_200,
        topic: Buffer.from(deliveryId.replaceAll('-', ''), 'hex').toString('base64url'),
        sender: { publicKey: keys.publicKey, subject: SUBJECT },
      },
    });
  });

  test('of the maximum size is accepted; one byte more is not sent', async () => {
    await using rig = await startRig();
    const ids = { deliveryId: systemIds.uuid(), campaignId: systemIds.uuid() };
    const overhead = JSON.stringify({ ...ids, body: '', tag: ids.deliveryId }).length;
    const sized = (bytes: number) =>
      send(rig, 'WEB_PUSH', { ...ids, message: { body: 'x'.repeat(bytes - overhead) } });

    expect(await sized(3_993)).toMatchObject({ status: 'sent' });
    expect(await sized(3_994)).toMatchObject({ status: 'permanent', reason: 'payload_too_large' });
  });

  test('is rejected if the browser has unsubscribed or does not exist', async () => {
    await using rig = await startRig();
    const subscription = await rig.call<Subscription>('POST', '/push/subscriptions', {});
    await rig.call('DELETE', `/push/subscriptions/${subscription.subscriptionId}`);
    const stranger = { ...subscription, endpoint: `${rig.url}/wpush/unknown` };

    for (const address of [subscription, stranger]) {
      expect(await send(rig, 'WEB_PUSH', { address: JSON.stringify(address) })).toMatchObject({
        status: 'invalid_address',
        reason: 'subscription_gone',
      });
    }
  });

  test('that subscribed before the keys were rotated is removed, and others are not', async () => {
    await using rig = await startRig();
    const old = JSON.stringify(
      await rig.call('POST', '/push/subscriptions', {
        applicationServerKey: newVapidKeys().publicKey,
      }),
    );

    expect(await send(rig, 'WEB_PUSH')).toMatchObject({ status: 'sent' });
    expect(await send(rig, 'WEB_PUSH', { address: old })).toMatchObject({
      status: 'invalid_address',
      reason: 'subscription_gone',
    });
    expect(await send(rig, 'WEB_PUSH')).toMatchObject({ status: 'sent' });
  });

  test('is only for push services that are configured', async () => {
    await using rig = await startRig();
    const { endpoint } = await rig.call<Subscription>('POST', '/push/subscriptions', {});

    expect([
      createPushServices({ webPushServices: [rig.url] })(endpoint),
      createPushServices({ webPushServices: ['*.googleapis.com'] })(endpoint),
    ]).toEqual([true, false]);
  });
});

describe('a message to an app', () => {
  test('arrives with its data as text, and a token of the service account', async () => {
    await using rig = await startRig();
    const deliveryId = systemIds.uuid();
    const campaignId = systemIds.uuid();

    const result = await send(rig, 'APP_PUSH', {
      deliveryId,
      campaignId,
      message: { title: 'Hello', body: 'b', url: 'shop://a', ttl: 60, customContent: { order: 5 } },
      expiresAt: Date.now() + 60_000,
    });

    expect(result).toMatchObject({
      status: 'sent',
      providerId: expect.stringMatching(/^projects\/tidings-sandbox\/messages\//),
    });
    expect(await rig.messages('APP_PUSH')).toMatchObject([
      {
        to: 'phone-1',
        deliveryId,
        campaignId,
        title: 'Hello',
        body: 'b',
        data: {
          data: { order: '5', url: 'shop://a', deliveryId, campaignId },
          android: { collapse_key: deliveryId, ttl: expect.stringMatching(/^(59|60)s$/) },
        },
      },
    ]);
  });

  test('is rejected if the app was removed', async () => {
    await using rig = await startRig();
    await rig.call('DELETE', '/push/tokens/phone-1');

    expect(await send(rig, 'APP_PUSH')).toMatchObject({
      status: 'invalid_address',
      reason: 'subscription_gone',
    });
    expect(await send(rig, 'APP_PUSH', { address: 'phone-2' })).toMatchObject({ status: 'sent' });
  });

  test('of another service account waits until the settings are corrected', async () => {
    await using rig = await startRig();
    const other = JSON.stringify({
      ...(JSON.parse(rig.serviceAccount) as object),
      client_email: 'other@shop.iam.gserviceaccount.com',
    });

    expect(await send(rig, 'APP_PUSH', { secrets: { serviceAccount: other } })).toMatchObject({
      status: 'configuration',
      reason: 'provider_auth',
      providerCode: 'token 400',
    });
  });
});

/**
 * Every row of the error tables that a provider can return, with the fault that makes the sandbox
 * return it.
 */
describe('with provider faults', () => {
  let rig: Rig;
  beforeAll(async () => {
    // Long enough for a response on a busy machine, and shorter than the delay fault.
    rig = await startRig({ timeoutMs: 5_000 });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  test.each<[string, object, object]>([
    [
      'WEB_PUSH',
      { kind: 'reject' },
      { status: 'invalid_address', reason: 'subscription_gone', providerCode: '410 106' },
    ],
    [
      'WEB_PUSH',
      { kind: 'reject', status: 404 },
      { status: 'invalid_address', reason: 'subscription_gone', providerCode: '404 102' },
    ],
    [
      'WEB_PUSH',
      { kind: 'reject', status: 400, code: '101' },
      { status: 'invalid_address', reason: 'subscription_gone' },
    ],
    [
      'WEB_PUSH',
      { kind: 'reject', status: 400, code: '110' },
      { status: 'invalid_address', reason: 'subscription_gone' },
    ],
    [
      'WEB_PUSH',
      { kind: 'reject', status: 400, code: 'VapidPkHashMismatch' },
      { status: 'invalid_address', reason: 'subscription_gone' },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 400, code: '113' },
      { status: 'permanent', reason: 'provider_rejected' },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 400, code: 'BadJwtToken' },
      { status: 'configuration', reason: 'provider_auth' },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 401 },
      { status: 'configuration', reason: 'provider_auth' },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 403 },
      { status: 'configuration', reason: 'provider_auth', isOfRecipient: true },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 413 },
      { status: 'permanent', reason: 'payload_too_large' },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 429, retryAfterSeconds: 7 },
      { status: 'rate_limited', retryAfterMs: 7_000 },
    ],
    ['WEB_PUSH', { kind: 'status', status: 406 }, { status: 'rate_limited' }],
    [
      'WEB_PUSH',
      { kind: 'status', status: 500 },
      { status: 'transient', reason: 'provider_unavailable' },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 503, retryAfterSeconds: 9 },
      { status: 'transient', reason: 'provider_unavailable', retryAfterMs: 9_000 },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 302 },
      { status: 'permanent', reason: 'provider_rejected' },
    ],
    [
      'WEB_PUSH',
      { kind: 'status', status: 418 },
      { status: 'transient', attemptsMax: 2, isUnmapped: true },
    ],
    ['WEB_PUSH', { kind: 'drop_reply' }, { status: 'transient', reason: 'provider_unavailable' }],
    ['WEB_PUSH', { kind: 'reset' }, { status: 'transient', reason: 'provider_unavailable' }],
    [
      'WEB_PUSH',
      { kind: 'delay', delayMs: 6_000 },
      { status: 'transient', reason: 'provider_timeout' },
    ],
    [
      'APP_PUSH',
      { kind: 'reject' },
      { status: 'invalid_address', reason: 'subscription_gone', providerCode: '404 UNREGISTERED' },
    ],
    [
      'APP_PUSH',
      { kind: 'reject', code: 'INVALID_ARGUMENT' },
      { status: 'invalid_address', reason: 'subscription_gone' },
    ],
    [
      'APP_PUSH',
      { kind: 'status', status: 400 },
      { status: 'permanent', reason: 'provider_rejected' },
    ],
    [
      'APP_PUSH',
      { kind: 'reject', code: 'SENDER_ID_MISMATCH' },
      { status: 'configuration', reason: 'provider_auth', isOfRecipient: true },
    ],
    [
      'APP_PUSH',
      { kind: 'status', status: 401, code: 'THIRD_PARTY_AUTH_ERROR' },
      { status: 'configuration', reason: 'provider_auth' },
    ],
    [
      'APP_PUSH',
      { kind: 'status', status: 401 },
      { status: 'configuration', reason: 'provider_auth' },
    ],
    [
      'APP_PUSH',
      { kind: 'status', status: 403 },
      { status: 'configuration', reason: 'provider_auth' },
    ],
    ['APP_PUSH', { kind: 'status', status: 429 }, { status: 'rate_limited', retryAfterMs: 60_000 }],
    [
      'APP_PUSH',
      { kind: 'status', status: 429, retryAfterSeconds: 90 },
      { status: 'rate_limited', retryAfterMs: 90_000 },
    ],
    [
      'APP_PUSH',
      { kind: 'status', status: 503 },
      { status: 'transient', reason: 'provider_unavailable', retryAfterMs: 10_000 },
    ],
    [
      'APP_PUSH',
      { kind: 'status', status: 500 },
      { status: 'transient', reason: 'provider_unavailable', retryAfterMs: 10_000 },
    ],
    [
      'APP_PUSH',
      { kind: 'status', status: 418 },
      { status: 'transient', attemptsMax: 2, isUnmapped: true },
    ],
    ['APP_PUSH', { kind: 'drop_reply' }, { status: 'transient', reason: 'provider_unavailable' }],
    ['APP_PUSH', { kind: 'reset' }, { status: 'transient', reason: 'provider_unavailable' }],
    [
      'APP_PUSH',
      { kind: 'delay', delayMs: 6_000 },
      { status: 'transient', reason: 'provider_timeout' },
    ],
  ])(
    '%s: %j',
    async (channel, fault, outcome) => {
      await rig.call('DELETE', '/api/faults');
      await rig.call('POST', '/api/faults', { channel, rate: 1, ...fault });

      // Fresh settings, so that responses of other rows do not count.
      expect(await send(rig, channel, { settingsKey: `${systemIds.uuid()}:1` })).toMatchObject(
        outcome,
      );
    },
    20_000,
  );
});
