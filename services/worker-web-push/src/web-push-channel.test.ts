import { describe, expect, test } from '@jest/globals';
import {
  createTestChannel,
  outgoingPush,
  startPushService,
  subscriptionAt,
  VAPID,
} from './testing/push-service.ts';

const DAY_MS = 86_400_000;

describe('a push', () => {
  test('has the ids, times and words that its service needs', async () => {
    await using service = await startPushService();
    await using channel = createTestChannel([service.url]);
    const delivery = outgoingPush(subscriptionAt(service.url), {
      deliveryId: '01a1fda0-84a5-72c8-802b-8cdeabd134bc',
    });

    expect(await channel.send(delivery)).toEqual({ status: 'sent', providerCode: '201' });

    const [push] = service.pushes;
    expect(push).toMatchObject({
      method: 'POST',
      headers: {
        'content-encoding': 'aes128gcm',
        topic: 'AaH9oISlcsiAK4zeq9E0vA',
        urgency: 'high',
        authorization: expect.stringMatching(/^vapid t=.*, k=/),
      },
    });
    expect(push?.headers['content-length']).toBe(String(push?.body.length));
  });

  test.each<[string, object, (ttl: number) => boolean]>([
    [
      'without a ttl of its own waits as long as any',
      { message: { body: 'b' }, expiresAt: Date.now() + DAY_MS },
      (ttl) => ttl === 2_419_200,
    ],
    ['with a ttl of null, too', { message: { body: 'b', ttl: null } }, (ttl) => ttl === 2_419_200],
    ['with a ttl of 0 is for now or never', { message: { body: 'b', ttl: 0 } }, (ttl) => ttl === 0],
    [
      'with a ttl waits for what is left of it',
      { message: { body: 'b', ttl: 3_600 }, expiresAt: Date.now() + 600_000 },
      (ttl) => ttl > 580 && ttl <= 600,
    ],
    [
      'with a ttl of a year waits for four weeks',
      { message: { body: 'b', ttl: 31_536_000 }, expiresAt: Date.now() + 365 * DAY_MS },
      (ttl) => ttl === 2_419_200,
    ],
  ])('%s', async (_name, overrides, isRight) => {
    await using service = await startPushService();
    await using channel = createTestChannel([service.url]);

    await channel.send(outgoingPush(subscriptionAt(service.url), overrides));

    expect(isRight(Number(service.pushes[0]?.headers['ttl']))).toBe(true);
  });

  test('shares a signature with the others to its push service', async () => {
    await using service = await startPushService();
    await using channel = createTestChannel([service.url]);

    for (let at = 0; at < 3; at += 1) await channel.send(outgoingPush(subscriptionAt(service.url)));

    expect(new Set(service.pushes.map(({ headers }) => headers.authorization)).size).toBe(1);
  });

  test('of more than 3,993 bytes is not even encrypted', async () => {
    await using service = await startPushService();
    await using channel = createTestChannel([service.url]);

    expect(
      await channel.send(
        outgoingPush(subscriptionAt(service.url), { message: { body: 'ü'.repeat(1_950) } }),
      ),
    ).toMatchObject({ status: 'permanent', reason: 'payload_too_large' });
    expect(service.pushes).toEqual([]);
  });

  test('is repeated under its topic when the answer was lost', async () => {
    await using service = await startPushService((_res, req) => void req.socket.destroy());
    await using channel = createTestChannel([service.url]);
    const delivery = outgoingPush(subscriptionAt(service.url));

    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await channel.send(delivery)).toMatchObject({
        status: 'transient',
        reason: 'provider_unavailable',
      });

    expect(new Set(service.pushes.map(({ headers }) => headers['topic'])).size).toBe(1);
  });

  test('without an answer in time is tried again later', async () => {
    await using service = await startPushService(() => undefined);
    await using channel = createTestChannel([service.url], { pushTimeoutMs: 100 });

    expect(await channel.send(outgoingPush(subscriptionAt(service.url)))).toMatchObject({
      status: 'transient',
      reason: 'provider_timeout',
    });
  });

  test('never follows a redirect', async () => {
    await using elsewhere = await startPushService();
    await using service = await startPushService(
      (res) => void res.writeHead(307, { Location: `${elsewhere.url}/push` }).end(),
    );
    await using channel = createTestChannel([service.url, elsewhere.url]);

    expect(await channel.send(outgoingPush(subscriptionAt(service.url)))).toMatchObject({
      status: 'permanent',
      reason: 'provider_rejected',
    });
    expect(elsewhere.pushes).toEqual([]);
  });

  test('reads no more than a little of a long answer', async () => {
    await using service = await startPushService(
      (res) => void res.writeHead(400).end('x'.repeat(1_000_000)),
    );
    await using channel = createTestChannel([service.url]);

    const result = await channel.send(outgoingPush(subscriptionAt(service.url)));

    expect(result).toMatchObject({ status: 'permanent' });
    expect('providerMessage' in result && result.providerMessage?.length).toBeLessThanOrEqual(200);
  });

  test('marked too long ago: nothing is sent', async () => {
    await using service = await startPushService();
    await using channel = createTestChannel([service.url]);

    expect(
      await channel.send(outgoingPush(subscriptionAt(service.url), { mayBegin: () => false })),
    ).toEqual({ status: 'not_sent' });
    expect(service.pushes).toEqual([]);
  });
});

describe('a subscription', () => {
  test.each([
    ['that is none', 'ada@example.com'],
    ['without keys', JSON.stringify({ endpoint: 'https://fcm.googleapis.com/x' })],
    [
      'with a key that is no point of the curve',
      JSON.stringify({
        endpoint: 'https://fcm.googleapis.com/x',
        keys: { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) },
      }),
    ],
  ])('%s is refused for good', async (_what, address) => {
    await using channel = createTestChannel(['*.googleapis.com']);

    expect(await channel.send(outgoingPush(address))).toMatchObject({
      status: 'invalid_address',
      reason: 'invalid_address',
    });
  });

  test('made with the key of before is removed alone: others are taken', async () => {
    await using service = await startPushService(
      (res, req) => void res.writeHead(req.url?.endsWith('old') ? 403 : 201).end(),
    );
    await using channel = createTestChannel([service.url]);
    const old = { ...subscriptionAt(service.url), endpoint: `${service.url}/old` };

    expect(await channel.send(outgoingPush(old))).toMatchObject({
      status: 'configuration',
      isOfRecipient: true,
    });
    for (let at = 0; at < 2; at += 1) await channel.send(outgoingPush(subscriptionAt(service.url)));

    expect(await channel.send(outgoingPush(old))).toMatchObject({
      status: 'invalid_address',
      reason: 'subscription_gone',
    });
  });

  test('of many that were taken until now, none is removed: a refusal without a word names no subscription', async () => {
    let isRefusing = false;
    await using service = await startPushService(
      (res) => void res.writeHead(isRefusing ? 403 : 201).end(),
    );
    await using channel = createTestChannel([service.url]);
    const addresses = Array.from({ length: 12 }, (_, at) => ({
      ...subscriptionAt(service.url),
      endpoint: `${service.url}/${at}`,
    }));
    for (const address of addresses) await channel.send(outgoingPush(address));
    isRefusing = true;

    const results = [];
    for (const address of [...addresses, ...addresses])
      results.push(await channel.send(outgoingPush(address)));

    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['configuration']));
    expect(results.at(-1)).not.toHaveProperty('isOfRecipient');
  });

  test('of many that are all refused, none is removed: the key is wrong', async () => {
    await using service = await startPushService((res) => void res.writeHead(403).end());
    await using channel = createTestChannel([service.url]);

    const results = [];
    for (let at = 0; at < 6; at += 1)
      results.push(await channel.send(outgoingPush(subscriptionAt(service.url))));

    expect(results.map(({ status }) => status)).toEqual(
      Array.from({ length: 6 }, () => 'configuration'),
    );
    expect(results.at(-1)).not.toHaveProperty('isOfRecipient');
  });
});

describe('an endpoint', () => {
  test.each([
    'https://evil.example/push',
    'http://169.254.169.254/latest',
    'https://127.0.0.1/x',
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
  ])('of no known push service is never reached: %s', async (endpoint) => {
    await using channel = createTestChannel(['*.googleapis.com']);

    expect(
      await channel.send(outgoingPush({ ...subscriptionAt('https://x.example'), endpoint })),
    ).toMatchObject({ status: 'invalid_address', providerCode: 'unknown_push_service' });
  });

  test('of a known one that leads to a private address is not reached either', async () => {
    await using service = await startPushService();
    await using channel = createTestChannel([service.url], { egressAllowedNetworks: [] });

    expect(await channel.send(outgoingPush(subscriptionAt(service.url)))).toMatchObject({
      status: 'invalid_address',
      providerCode: 'egress_refused',
    });
    expect(service.pushes).toEqual([]);
  });
});

test.each([
  ['no public key', { settings: { subject: VAPID.subject } }],
  ['no private key', { secrets: {} }],
  ['keys that are none', { secrets: { privateKey: 'AAAA' } }],
  ['a subject that is none', { settings: { subject: 'ops', publicKey: VAPID.publicKey } }],
])('settings with %s keep the delivery until they are mended', async (_what, overrides) => {
  await using channel = createTestChannel(['*.googleapis.com']);

  expect(
    await channel.send(outgoingPush(subscriptionAt('https://fcm.googleapis.com'), overrides)),
  ).toMatchObject({ status: 'configuration', reason: 'provider_auth' });
});
