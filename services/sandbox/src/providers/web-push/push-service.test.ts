import { describe, expect, test } from '@jest/globals';
import webPush, { type RequestOptions } from 'web-push';
import { subscribeAt } from '../../testing/push-clients.ts';
import { startTestSandbox } from '../../testing/test-sandbox.ts';
import type { IssuedSubscription } from './issue-subscription.ts';

const vapid = { subject: 'mailto:ops@example.com', ...webPush.generateVAPIDKeys() };
const notification = {
  deliveryId: 'delivery-1',
  campaignId: 'campaign-1',
  title: 'Hello',
  body: 'From the web',
  tag: 'delivery-1',
};

/** Request details of the public package, sent by hand, since the package uses https only. */
function push(
  subscription: IssuedSubscription,
  {
    text = JSON.stringify(notification),
    headers = {},
    change = (body: Buffer) => body,
    ...options
  }: RequestOptions & { readonly text?: string; readonly change?: (body: Buffer) => Buffer } = {},
) {
  const details = webPush.generateRequestDetails(subscription, text, {
    vapidDetails: vapid,
    TTL: 60,
    topic: 'a-topic',
    urgency: 'high',
    ...options,
  });
  const { 'Content-Length': _length, ...made } = details.headers as Record<string, string>;
  return fetch(details.endpoint, {
    method: 'POST',
    headers: { ...made, ...headers },
    body: new Uint8Array(change(details.body as Buffer)),
    redirect: 'manual',
  });
}

describe('a push', () => {
  test('is decrypted and stored with its sender and TTL', async () => {
    await using sandbox = await startTestSandbox();
    const subscription = await subscribeAt(sandbox);

    const answer = await push(subscription);

    expect([answer.status, answer.headers.get('ttl'), answer.headers.get('location')]).toEqual([
      201,
      '60',
      expect.stringContaining(`${sandbox.url}/m/`),
    ]);
    expect(await sandbox.messages('?channel=WEB_PUSH&campaignId=campaign-1')).toMatchObject({
      count: 1,
      messages: [
        {
          to: subscription.endpoint,
          deliveryId: 'delivery-1',
          title: 'Hello',
          body: 'From the web',
          data: {
            notification,
            ttl: 60,
            topic: 'a-topic',
            urgency: 'high',
            sender: { publicKey: vapid.publicKey, subject: vapid.subject },
          },
        },
      ],
    });
  });

  test('reaches a subscription created before a restart, and none unregistered before it', async () => {
    await using first = await startTestSandbox();
    const [kept, gone] = [await subscribeAt(first), await subscribeAt(first)];
    expect(
      (await first.request('DELETE', `/push/subscriptions/${gone.subscriptionId}`)).status,
    ).toBe(204);
    await first.stop();

    await using second = await startTestSandbox({ dataDir: first.dataDir });
    const at = ({ endpoint, ...rest }: IssuedSubscription) => ({
      ...rest,
      endpoint: endpoint.replace(first.url, second.url),
    });

    expect([(await push(at(kept))).status, (await push(at(gone))).status]).toEqual([201, 410]);
  });

  test('to a browser that subscribed with a key is rejected from other senders', async () => {
    await using sandbox = await startTestSandbox();
    const subscription = await subscribeAt(sandbox, vapid.publicKey);

    expect((await push(subscription)).status).toBe(201);
    const other = await push(subscription, {
      vapidDetails: { subject: vapid.subject, ...webPush.generateVAPIDKeys() },
    });

    expect([other.status, await other.json()]).toEqual([
      403,
      expect.objectContaining({
        message: expect.stringContaining('do not correspond to the credentials'),
      }),
    ]);
  });

  test.each<[string, Parameters<typeof push>[1], number, number]>([
    ['without a TTL', { headers: { TTL: '' } }, 400, 112],
    ['with a topic that is too long', { headers: { Topic: 'a'.repeat(33) } }, 400, 113],
    ['with an unknown urgency', { headers: { Urgency: 'now' } }, 400, 114],
    [
      'that was changed in transit',
      { change: (body) => Buffer.concat([body.subarray(0, -1), Buffer.from([1])]) },
      400,
      110,
    ],
    ['in another encoding', { headers: { 'Content-Encoding': 'aesgcm' } }, 400, 110],
    ['beyond 4,096 bytes', { text: 'x'.repeat(3_994) }, 413, 104],
    ['without a sender', { headers: { Authorization: '' } }, 401, 109],
    [
      'signed by another key',
      { headers: { Authorization: `vapid t=${'e30.'.repeat(2)}AAAA, k=${vapid.publicKey}` } },
      401,
      109,
    ],
  ])('%s is rejected and not stored', async (_what, options, status, errno) => {
    await using sandbox = await startTestSandbox();

    const answer = await push(await subscribeAt(sandbox), options);

    expect([answer.status, await answer.json()]).toEqual([
      status,
      expect.objectContaining({ code: status, errno }),
    ]);
    expect((await sandbox.counts()).total).toBe(0);
  });

  test('of 3,993 bytes is the largest accepted', async () => {
    await using sandbox = await startTestSandbox();

    expect((await push(await subscribeAt(sandbox), { text: 'x'.repeat(3_993) })).status).toBe(201);
  });

  test('signed for another push service is rejected', async () => {
    await using sandbox = await startTestSandbox();
    const subscription = await subscribeAt(sandbox);
    const elsewhere = webPush.generateRequestDetails(
      { ...subscription, endpoint: 'https://push.example/x' },
      'text',
      { vapidDetails: vapid },
    ).headers as Record<string, string>;

    expect(
      (await push(subscription, { headers: { Authorization: String(elsewhere['Authorization']) } }))
        .status,
    ).toBe(401);
  });

  test('to an endpoint that was never issued is 404', async () => {
    await using sandbox = await startTestSandbox();
    const subscription = await subscribeAt(sandbox);

    expect((await push({ ...subscription, endpoint: `${subscription.endpoint}x` })).status).toBe(
      404,
    );
    expect((await push({ ...subscription, endpoint: `${sandbox.url}/wpush/abc` })).status).toBe(
      404,
    );
  });
});

describe('faults', () => {
  test.each<[object, number, object, string | null]>([
    [{ kind: 'reject' }, 410, { code: 410, errno: 106 }, null],
    [{ kind: 'reject', status: 404 }, 404, { code: 404, errno: 102 }, null],
    [{ kind: 'reject', status: 400, code: '101' }, 400, { code: 400, errno: 101 }, null],
    [
      { kind: 'status', status: 400, code: 'VapidPkHashMismatch' },
      400,
      { reason: 'VapidPkHashMismatch' },
      null,
    ],
    [{ kind: 'status', status: 401 }, 401, { code: 401, errno: 109 }, null],
    [{ kind: 'status', status: 403 }, 403, { code: 403 }, null],
    [{ kind: 'status', status: 406 }, 406, { code: 406 }, null],
    [{ kind: 'status', status: 413 }, 413, { code: 413, errno: 104 }, null],
    [{ kind: 'status', status: 429, retryAfterSeconds: 7 }, 429, { code: 429 }, '7'],
    [{ kind: 'status', status: 503 }, 503, { code: 503 }, null],
    [{ kind: 'status', status: 302 }, 302, { code: 302 }, null],
  ])('%j rejects, and nothing is stored', async (fault, status, body, retryAfter) => {
    await using sandbox = await startTestSandbox();
    await sandbox.request('POST', '/api/faults', { channel: 'WEB_PUSH', rate: 1, ...fault });

    const answer = await push(await subscribeAt(sandbox));

    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      status,
      retryAfter,
      expect.objectContaining(body),
    ]);
    expect((await sandbox.counts()).total).toBe(0);
  });

  test.each([
    ['drop_reply', 1],
    ['reset', 0],
  ])('%s sends no response; stored: %i', async (kind, kept) => {
    await using sandbox = await startTestSandbox();
    const subscription = await subscribeAt(sandbox);
    await sandbox.request('POST', '/api/faults', { channel: 'WEB_PUSH', rate: 1, kind });

    await expect(push(subscription)).rejects.toThrow();

    expect((await sandbox.counts('?channel=WEB_PUSH')).total).toBe(kept);
  });
});
