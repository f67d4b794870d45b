import { describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { startTestSandbox, type TestSandbox } from '../../testing/test-sandbox.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const hook = {
  campaignId: 'campaign-1',
  deliveryId: 'delivery-1',
  channel: 'WEB_HOOK',
  recipient: { customUserId: 'ada' },
  title: 'Hello',
  body: { order: 5 },
};

function post(
  { url }: TestSandbox,
  { secret = SECRET, body = JSON.stringify(hook), method = 'POST', path = '/hooks/shop?a=b' } = {},
) {
  const at = new Date();
  return fetch(`${url}${path}`, {
    method,
    body,
    headers: {
      'webhook-id': 'delivery-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('delivery-1', at, body),
    },
  });
}

describe('a hook', () => {
  test.each(['POST', 'PUT', 'PATCH'])(
    'by %s with a valid signature is stored with its user',
    async (method) => {
      await using sandbox = await startTestSandbox({ hookSecret: SECRET });

      expect((await post(sandbox, { method })).status).toBe(204);

      expect(
        await sandbox.messages('?channel=WEB_HOOK&campaignId=campaign-1&to=ada'),
      ).toMatchObject({
        count: 1,
        messages: [
          {
            to: 'ada',
            deliveryId: 'delivery-1',
            title: 'Hello',
            data: { method, url: '/hooks/shop?a=b', isVerified: true, hook },
          },
        ],
      });
    },
  );

  test('keeps every digit of its integers', async () => {
    await using sandbox = await startTestSandbox({ hookSecret: SECRET });
    const body =
      '{"campaignId":"campaign-1","body":{"order":9007199254740993},"customContent":{"id":12345678901234567890}}';

    expect((await post(sandbox, { body })).status).toBe(204);

    const text = await (await sandbox.request('GET', '/api/messages?channel=WEB_HOOK')).text();
    expect(text).toContain(
      '"hook":{"campaignId":"campaign-1","body":{"order":9007199254740993},"customContent":{"id":12345678901234567890}}',
    );
    expect(text).toContain(JSON.stringify('{\n  "order": 9007199254740993\n}'));
  });

  test('with another secret is rejected and not stored', async () => {
    await using sandbox = await startTestSandbox({ hookSecret: SECRET });

    expect(
      (await post(sandbox, { secret: `whsec_${Buffer.alloc(32, 2).toString('base64')}` })).status,
    ).toBe(401);
    expect((await sandbox.counts()).total).toBe(0);
  });

  test('is accepted unchecked without a secret, with any body', async () => {
    await using sandbox = await startTestSandbox();

    for (const body of ['{"a":1}', 'no JSON', '5', ''])
      expect((await post(sandbox, { body })).status).toBe(204);

    expect(await sandbox.messages('?channel=WEB_HOOK')).toMatchObject({
      count: 4,
      messages: expect.arrayContaining([expect.objectContaining({ to: '/hooks/shop' })]),
    });
  });

  test('by GET is rejected', async () => {
    await using sandbox = await startTestSandbox();

    expect((await sandbox.request('GET', '/hooks')).status).toBe(405);
  });
});

describe('faults', () => {
  test.each([
    [{ kind: 'reject' }, 400, null],
    [{ kind: 'reject', status: 422 }, 422, null],
    [{ kind: 'status', status: 503, retryAfterSeconds: 7 }, 503, '7'],
  ])('%j rejects, and nothing is stored', async (fault, status, retryAfter) => {
    await using sandbox = await startTestSandbox({ hookSecret: SECRET });
    await sandbox.request('POST', '/api/faults', { channel: 'WEB_HOOK', rate: 1, ...fault });

    const answer = await post(sandbox);

    expect([answer.status, answer.headers.get('retry-after')]).toEqual([status, retryAfter]);
    expect((await sandbox.counts()).total).toBe(0);
  });

  test.each([
    ['drop_reply', 1],
    ['reset', 0],
  ])('%s sends no response; stored: %i', async (kind, kept) => {
    await using sandbox = await startTestSandbox({ hookSecret: SECRET });
    await sandbox.request('POST', '/api/faults', { channel: 'WEB_HOOK', rate: 1, kind });

    await expect(post(sandbox)).rejects.toThrow('fetch failed');
    expect((await sandbox.counts('?channel=WEB_HOOK')).total).toBe(kept);
  });
});
