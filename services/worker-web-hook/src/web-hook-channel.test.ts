import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import {
  createTestChannel,
  outgoingHook,
  PREVIOUS_SECRET,
  SECRET,
  startReceiver,
} from './testing/receiver.ts';

describe('a hook', () => {
  test('is verified by the public package, and says what it is about', async () => {
    await using receiver = await startReceiver();
    await using channel = createTestChannel();
    const delivery = outgoingHook(receiver.url, {
      serviceUserId: '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001',
    });

    expect(await channel.send(delivery)).toEqual({ status: 'sent', providerCode: '204' });

    const [hook] = receiver.hooks;
    expect(hook).toMatchObject({
      method: 'POST',
      url: '/hook',
      headers: { 'content-type': 'application/json', 'webhook-id': delivery.deliveryId },
    });
    expect(
      new Webhook(SECRET).verify(hook?.body ?? '', hook?.headers as Record<string, string>),
    ).toEqual({
      campaignId: delivery.campaignId,
      deliveryId: delivery.deliveryId,
      channel: 'WEB_HOOK',
      recipient: { customUserId: 'ada', serviceUserId: '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001' },
      title: 'Hello',
      body: { order: 5 },
      customContent: null,
      sentAt: expect.any(Number),
    });
  });

  test('has every digit of the integers in its body and its customContent', async () => {
    await using receiver = await startReceiver();
    await using channel = createTestChannel();

    await channel.send(
      outgoingHook(receiver.url, {
        message: {
          body: { order: 9007199254740993n },
          customContent: { ids: [12345678901234567890n] },
        },
      }),
    );

    const [hook] = receiver.hooks;
    expect(hook?.body).toContain(
      '"body":{"order":9007199254740993},"customContent":{"ids":[12345678901234567890]}',
    );
    expect(() =>
      new Webhook(SECRET).verify(hook?.body ?? '', hook?.headers as Record<string, string>),
    ).not.toThrow();
  });

  test('is signed by both secrets while one replaces the other', async () => {
    await using receiver = await startReceiver();
    await using channel = createTestChannel();

    await channel.send(
      outgoingHook(receiver.url, { secrets: { secret: SECRET, previousSecret: PREVIOUS_SECRET } }),
    );

    const [hook] = receiver.hooks;
    for (const secret of [SECRET, PREVIOUS_SECRET])
      expect(
        new Webhook(secret).verify(hook?.body ?? '', hook?.headers as Record<string, string>),
      ).toMatchObject({ title: 'Hello' });
  });

  test('has url, method, headers and content type of its message, but not ours', async () => {
    await using receiver = await startReceiver();
    await using channel = createTestChannel();
    const headers = {
      'X-Shop': 'north',
      'Webhook-Id': 'forged',
      Host: 'evil.example',
      'Content-Length': '5',
      'Transfer-Encoding': 'chunked',
    };

    const delivery = outgoingHook('http://127.0.0.1:1/unused', {
      message: {
        body: 'text',
        url: `${receiver.url}/orders?a=b`,
        method: 'PUT',
        headers,
        contentType: 'application/vnd.shop+json',
      },
    });
    expect((await channel.send(delivery)).status).toBe('sent');

    expect(receiver.hooks).toMatchObject([
      {
        method: 'PUT',
        url: '/hook/orders?a=b',
        headers: {
          'x-shop': 'north',
          'webhook-id': delivery.deliveryId,
          'content-type': 'application/vnd.shop+json',
        },
      },
    ]);
    expect(receiver.hooks[0]?.headers.host).toContain('127.0.0.1');
  });

  test('shares few connections with the others to its receiver', async () => {
    await using receiver = await startReceiver();
    await using channel = createTestChannel({ concurrency: 2 });

    await Promise.all(Array.from({ length: 20 }, () => channel.send(outgoingHook(receiver.url))));

    expect(receiver.hooks).toHaveLength(20);
    expect(receiver.connections.opened).toBeLessThanOrEqual(2);
  });

  test.each([
    ['no url anywhere', outgoingHook(undefined), 'no_url'],
    [
      'a header with a line break',
      outgoingHook('http://127.0.0.1:1', {
        message: { body: 'x', headers: { 'X-A': 'b\r\nX-Evil: c' } },
      }),
      'invalid_header',
    ],
    [
      'a header without a name',
      outgoingHook('http://127.0.0.1:1', { message: { body: 'x', headers: { '': 'b' } } }),
      'invalid_header',
    ],
    [
      'a content type with a line break',
      outgoingHook('http://127.0.0.1:1', { message: { body: 'x', contentType: 'a\nb' } }),
      'invalid_header',
    ],
  ])('%s: refused for good, without a request', async (_name, delivery, providerCode) => {
    await using channel = createTestChannel();

    expect(await channel.send(delivery)).toMatchObject({
      status: 'permanent',
      reason: 'provider_rejected',
      providerCode,
    });
  });

  test('without a secret it waits for one', async () => {
    await using channel = createTestChannel();

    expect(await channel.send(outgoingHook('http://127.0.0.1:1', { secrets: {} }))).toMatchObject({
      status: 'configuration',
      reason: 'provider_auth',
    });
  });
});

describe('what the receiver says is the outcome', () => {
  test.each([
    [200, {}, { status: 'sent' }],
    [202, {}, { status: 'sent' }],
    [301, { Location: '/elsewhere' }, { status: 'permanent', reason: 'provider_rejected' }],
    [
      302,
      { Location: 'http://169.254.169.254/' },
      { status: 'permanent', reason: 'provider_rejected' },
    ],
    [400, {}, { status: 'permanent', reason: 'provider_rejected' }],
    [401, {}, { status: 'permanent', reason: 'provider_rejected' }],
    [404, {}, { status: 'permanent', reason: 'provider_rejected' }],
    [410, {}, { status: 'permanent', reason: 'subscription_gone' }],
    [413, {}, { status: 'permanent', reason: 'payload_too_large' }],
    [422, {}, { status: 'permanent', reason: 'provider_rejected' }],
    [408, {}, { status: 'transient', reason: 'provider_unavailable' }],
    [425, {}, { status: 'transient', reason: 'provider_unavailable' }],
    [429, { 'Retry-After': '3' }, { status: 'rate_limited', retryAfterMs: 3_000 }],
    [429, {}, { status: 'rate_limited' }],
    [500, {}, { status: 'transient', reason: 'provider_unavailable' }],
    [
      503,
      { 'Retry-After': '60' },
      { status: 'transient', reason: 'provider_unavailable', retryAfterMs: 60_000 },
    ],
  ])('%i %j', async (status, headers, outcome) => {
    await using receiver = await startReceiver((res) => void res.writeHead(status, headers).end());
    await using channel = createTestChannel();

    expect(await channel.send(outgoingHook(receiver.url))).toMatchObject({
      ...outcome,
      providerCode: String(status),
    });
    expect(receiver.hooks).toHaveLength(1);
  });

  test('an answer lost, or too slow: it is sent again, by the same id', async () => {
    const answers = [
      (_res: unknown, req: { readonly socket: { destroy(): unknown } }) =>
        void req.socket.destroy(),
      () => undefined,
    ];
    for (const [index, reason] of ['provider_unavailable', 'provider_timeout'].entries()) {
      await using receiver = await startReceiver(answers[index]);
      await using channel = createTestChannel({ hookTimeoutMs: 200 });
      const delivery = outgoingHook(receiver.url);

      for (let attempt = 0; attempt < 2; attempt += 1)
        expect(await channel.send(delivery)).toMatchObject({ status: 'transient', reason });

      expect(receiver.hooks.map(({ headers }) => headers['webhook-id'])).toEqual([
        delivery.deliveryId,
        delivery.deliveryId,
      ]);
    }
  });

  test('marked too long ago: nothing is sent', async () => {
    await using receiver = await startReceiver();
    await using channel = createTestChannel();

    expect(await channel.send(outgoingHook(receiver.url, { mayBegin: () => false }))).toEqual({
      status: 'not_sent',
    });
    expect(receiver.hooks).toEqual([]);
  });
});

describe('an address that may not be reached', () => {
  test('in the settings waits until it is corrected; in a message it fails', async () => {
    await using receiver = await startReceiver();
    await using channel = createTestChannel({ egressAllowedNetworks: [] });
    const ofMessage = outgoingHook(undefined, { message: { body: 'x', url: receiver.url } });

    expect(await channel.send(outgoingHook(receiver.url))).toMatchObject({
      status: 'configuration',
      providerCode: 'egress_refused',
    });
    expect(await channel.send(ofMessage)).toMatchObject({
      status: 'permanent',
      providerCode: 'egress_refused',
    });
    expect(receiver.connections.opened).toBe(0);
  });

  test.each([
    'http://169.254.169.254/latest',
    'http://[::1]/',
    'http://user:pass@example.com/',
    'http://2130706433/',
    'http://8.8.8.8/',
    'https://8.8.8.8:22/',
  ])('%s', async (url) => {
    await using channel = createTestChannel({ egressAllowedNetworks: [] });

    expect(await channel.send(outgoingHook(url))).toMatchObject({
      status: 'configuration',
      providerCode: 'egress_refused',
    });
  });
});
