import { describe, expect, test } from '@jest/globals';
import {
  accept,
  createTestChannel,
  NAME,
  outgoingAppPush,
  refuse,
  serviceAccountAt,
  startFcm,
} from './testing/fcm.ts';

const fcmError = (errorCode: string) => ({
  '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError',
  errorCode,
});

const messageAt = ({ calls }: Awaited<ReturnType<typeof startFcm>>) => calls[0]?.body.message ?? {};

describe('a message', () => {
  test('goes to one token, with its ids, and under an account of its own', async () => {
    await using fcm = await startFcm();
    await using channel = createTestChannel();
    const delivery = outgoingAppPush(fcm.url);
    const { deliveryId, campaignId } = delivery;

    expect(await channel.send(delivery)).toEqual({
      status: 'sent',
      providerId: NAME,
      providerCode: '200',
    });

    expect(fcm.calls).toEqual([
      {
        url: '/v1/projects/shop/messages:send',
        authorization: 'Bearer token-1',
        body: {
          message: {
            token: 'phone-1:APA91b',
            notification: { title: 'Hello', body: 'From the app' },
            data: { deliveryId, campaignId },
            android: {
              collapse_key: deliveryId,
              priority: 'high',
              notification: { tag: deliveryId },
            },
            apns: { headers: { 'apns-collapse-id': deliveryId, 'apns-priority': '10' } },
          },
        },
      },
    ]);
  });

  test('has its links, images and content as text in its data', async () => {
    await using fcm = await startFcm();
    await using channel = createTestChannel();
    const message = {
      body: 'b',
      url: 'shop://orders/5',
      icon: 'https://a.example/icon.png',
      images: [{ url: 'app://local' }, { url: 'https://a.example/1.png' }],
      buttons: [{ label: 'Open', link: 'shop://open' }],
      customContent: {
        order: 9007199254740993n,
        nested: { list: [1, null] },
        text: 'as it is',
        none: null,
        url: 'of the caller',
      },
    };
    const delivery = outgoingAppPush(fcm.url, { message });

    await channel.send(delivery);

    expect(fcm.calls[0]?.body.message).toMatchObject({
      notification: { body: 'b', image: 'https://a.example/1.png' },
      data: {
        order: '9007199254740993',
        nested: '{"list":[1,null]}',
        text: 'as it is',
        none: 'null',
        url: 'shop://orders/5',
        icon: 'https://a.example/icon.png',
        images: '["app://local","https://a.example/1.png"]',
        buttons: '[{"label":"Open","link":"shop://open"}]',
      },
      apns: {
        payload: { aps: { 'mutable-content': 1 } },
        fcmOptions: { image: 'https://a.example/1.png' },
      },
    });
  });

  test.each<
    [string, object, string | undefined, (expiration: string | undefined, now: number) => boolean]
  >([
    [
      'without a ttl waits as long as FCM likes',
      { message: { body: 'b' } },
      undefined,
      (expiration) => expiration === undefined,
    ],
    [
      'with a ttl of null, too',
      { message: { body: 'b', ttl: null } },
      undefined,
      (expiration) => expiration === undefined,
    ],
    [
      'with a ttl of 0 is for now or never',
      { message: { body: 'b', ttl: 0 } },
      '0s',
      (expiration) => expiration === '0',
    ],
    [
      'with a ttl of a year waits for four weeks',
      { message: { body: 'b', ttl: 31_536_000n }, expiresAt: Date.now() + 31_536_000_000 },
      '2419200s',
      (expiration, now) => Math.abs(Number(expiration) - now - 2_419_200) < 60,
    ],
  ])('%s', async (_name, overrides, ttl, isRight) => {
    await using fcm = await startFcm();
    await using channel = createTestChannel();

    await channel.send(outgoingAppPush(fcm.url, overrides));

    const { android, apns } = messageAt(fcm) as {
      readonly android: { readonly ttl?: string };
      readonly apns: { readonly headers: Readonly<Record<string, string>> };
    };
    expect(android.ttl).toBe(ttl);
    expect(isRight(apns.headers['apns-expiration'], Date.now() / 1000)).toBe(true);
  });

  test('with a ttl waits for what is left of it, also when it is sent again', async () => {
    await using fcm = await startFcm();
    await using channel = createTestChannel();

    await channel.send(
      outgoingAppPush(fcm.url, {
        message: { body: 'b', ttl: 3_600 },
        expiresAt: Date.now() + 600_000,
      }),
    );

    const { android } = messageAt(fcm) as { readonly android: { readonly ttl: string } };
    expect(Number.parseInt(android.ttl, 10)).toBeGreaterThan(500);
    expect(Number.parseInt(android.ttl, 10)).toBeLessThanOrEqual(600);
  });

  test.each(['from', 'message_type', 'google.x', 'google', 'gcm', 'gcm.notification.title'])(
    'with the reserved key %s in its customContent is refused, and not sent',
    async (key) => {
      await using fcm = await startFcm();
      await using channel = createTestChannel();

      expect(
        await channel.send(
          outgoingAppPush(fcm.url, { message: { body: 'b', customContent: { [key]: 'x' } } }),
        ),
      ).toMatchObject({
        status: 'permanent',
        reason: 'provider_rejected',
        providerCode: 'reserved_key',
      });
      expect(fcm.calls).toEqual([]);
    },
  );

  test.each([
    ['body', { body: 'ü'.repeat(2_100) }],
    ['customContent', { body: 'b', customContent: { a: 'x'.repeat(4_096) } }],
  ])('of more than 4,096 bytes by its %s is not sent', async (_what, message) => {
    await using fcm = await startFcm();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingAppPush(fcm.url, { message }))).toMatchObject({
      status: 'permanent',
      reason: 'payload_too_large',
    });
    expect(fcm.calls).toEqual([]);
  });

  test('that FCM refuses for want of capacity is sent once: trying again is not the package’s to decide', async () => {
    await using fcm = await startFcm(refuse(503, [fcmError('UNAVAILABLE')]));
    await using channel = createTestChannel();

    expect(await channel.send(outgoingAppPush(fcm.url))).toMatchObject({
      status: 'transient',
      reason: 'provider_unavailable',
      retryAfterMs: 10_000,
    });
    expect(fcm.calls).toHaveLength(1);
  });

  test('whose answer is lost, or too slow, is sent once and tried again later', async () => {
    for (const [answer, reason] of [
      [
        (_res: unknown, req: { readonly socket: { destroy(): unknown } }) =>
          void req.socket.destroy(),
        'provider_unavailable',
      ],
      [() => undefined, 'provider_timeout'],
    ] as const) {
      await using fcm = await startFcm(answer);
      await using channel = createTestChannel({ fcmTimeoutMs: 500 });

      expect(await channel.send(outgoingAppPush(fcm.url))).toMatchObject({
        status: 'transient',
        reason,
      });
      expect(fcm.calls).toHaveLength(1);
    }
  });

  test('to an invalid token returns invalid_address', async () => {
    await using fcm = await startFcm(refuse(404, [fcmError('UNREGISTERED')]));
    await using channel = createTestChannel();

    expect(await channel.send(outgoingAppPush(fcm.url))).toMatchObject({
      status: 'invalid_address',
      reason: 'subscription_gone',
      providerCode: '404 UNREGISTERED',
    });
  });

  test('marked too long ago is not sent', async () => {
    await using fcm = await startFcm();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingAppPush(fcm.url, { mayBegin: () => false }))).toEqual({
      status: 'not_sent',
    });
    expect(fcm.calls).toEqual([]);
  });

  test('to what is no token is refused for good', async () => {
    await using channel = createTestChannel();

    expect(
      await channel.send(outgoingAppPush('http://127.0.0.1:1', { address: 'two words' })),
    ).toMatchObject({ status: 'invalid_address', reason: 'invalid_address' });
  });
});

describe('access tokens', () => {
  test('are asked for once by many sends at a time, and kept', async () => {
    await using fcm = await startFcm();
    await using channel = createTestChannel();
    const settingsKey = 'of-many:1';

    await Promise.all(
      Array.from({ length: 10 }, () => channel.send(outgoingAppPush(fcm.url, { settingsKey }))),
    );
    await channel.send(outgoingAppPush(fcm.url, { settingsKey }));

    expect(fcm.calls).toHaveLength(11);
    expect(fcm.assertions).toHaveLength(1);
    const claims = JSON.parse(
      Buffer.from(fcm.assertions[0]?.split('.')[1] ?? '', 'base64url').toString(),
    ) as object;
    expect(claims).toMatchObject({
      iss: 'sender@shop.iam.gserviceaccount.com',
      aud: `${fcm.url}/token`,
      scope: 'https://www.googleapis.com/auth/firebase.messaging',
    });
  });

  test('that end before their time are replaced, and the message is sent all the same', async () => {
    await using fcm = await startFcm((res, req) =>
      req.headers.authorization === 'Bearer token-1' ? refuse(401)(res, req) : accept(res, req),
    );
    await using channel = createTestChannel();

    expect(await channel.send(outgoingAppPush(fcm.url))).toMatchObject({ status: 'sent' });
    expect(fcm.calls.map(({ authorization }) => authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  test('that are refused when they are new mean that the account is', async () => {
    await using fcm = await startFcm(refuse(401));
    await using channel = createTestChannel();

    expect(await channel.send(outgoingAppPush(fcm.url))).toMatchObject({
      status: 'configuration',
      reason: 'provider_auth',
    });
    expect(fcm.calls).toHaveLength(2);
  });

  test.each([
    [
      'refused',
      400,
      { error: 'invalid_grant' },
      { status: 'configuration', reason: 'provider_auth', providerCode: 'token 400' },
    ],
    ['not to be had now', 503, {}, { status: 'transient', reason: 'provider_unavailable' }],
    ['asked for too often', 429, {}, { status: 'rate_limited' }],
    ['unreadable', 200, {}, { status: 'configuration', reason: 'provider_auth' }],
  ])('%s: nothing is sent, and the next send asks again', async (_what, status, body, outcome) => {
    await using fcm = await startFcm(
      accept,
      (res) => void res.writeHead(status).end(JSON.stringify(body)),
    );
    await using channel = createTestChannel();
    const settingsKey = `token-${status}:1`;

    for (let at = 0; at < 2; at += 1)
      expect(await channel.send(outgoingAppPush(fcm.url, { settingsKey }))).toMatchObject(outcome);

    expect([fcm.calls.length, fcm.assertions.length]).toEqual([0, 2]);
  });
});

test.each([
  ['no service account', {}],
  ['no JSON', { serviceAccount: 'a text' }],
  ['a file of something else', { serviceAccount: '{"type":"authorized_user"}' }],
  [
    'a private key that is none',
    { serviceAccount: serviceAccountAt('http://127.0.0.1:1', 'no key') },
  ],
])('settings with %s keep the delivery until they are mended', async (_what, secrets) => {
  await using channel = createTestChannel();

  const result = await channel.send(outgoingAppPush('http://127.0.0.1:1', { secrets }));

  expect(result).toMatchObject({ status: 'configuration', reason: 'provider_auth' });
  expect(JSON.stringify(result)).not.toContain('no key');
});

test('a blocked address in the settings waits until it is corrected', async () => {
  await using fcm = await startFcm();
  await using channel = createTestChannel({ egressAllowedNetworks: [] });

  expect(await channel.send(outgoingAppPush(fcm.url))).toMatchObject({
    status: 'configuration',
    providerCode: 'egress_refused',
  });
  expect([fcm.calls, fcm.assertions]).toEqual([[], []]);
});

test('the token of another project is removed while others are taken', async () => {
  await using fcm = await startFcm((res, req) => accept(res, req));
  await using stranger = await startFcm(refuse(403, [fcmError('SENDER_ID_MISMATCH')]));
  await using channel = createTestChannel();
  const settingsKey = 'of-two:1';

  expect(
    await channel.send(outgoingAppPush(stranger.url, { settingsKey, address: 'old' })),
  ).toMatchObject({ status: 'configuration', isOfRecipient: true });
  await channel.send(outgoingAppPush(fcm.url, { settingsKey, address: 'new' }));

  expect(
    await channel.send(outgoingAppPush(stranger.url, { settingsKey, address: 'old' })),
  ).toMatchObject({ status: 'invalid_address', reason: 'subscription_gone' });
});
