import { afterAll, describe, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';
import {
  createWebhook,
  settleNext,
  type Webhook,
  type WebhookEntry,
} from '../../testing/webhooks.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };

const SUCCESS = {
  outcome: 'succeeded',
  attempt: { at: 5, durationMs: 12, statusCode: 204 },
  answer: 'ok',
} as const;

/** Sends a test event and records this outcome. */
async function ping(id: string, outcome: Parameters<typeof settleNext>[2] = SUCCESS) {
  const [answer] = await Promise.all([
    api.request('POST', `webhooks/${id}/test`, { headers }),
    settleNext(api, id, outcome),
  ]);
  return answer;
}

describe('GET webhooks', () => {
  test('lists the endpoints, oldest first, without their secrets', async () => {
    const made = [
      await createWebhook(api),
      await createWebhook(api, { kinds: ['message.sent'], channels: ['SMS'] }),
    ];

    const { body, text } = await api.request<Page<Webhook>>('GET', 'webhooks', { headers });

    expect(body.items).toEqual(made.map(({ secret: _secret, ...endpoint }) => endpoint));
    for (const { secret } of made) expect(text).not.toContain(secret);
  });
});

describe('PATCH webhooks/{id}', () => {
  test('changes the given fields', async () => {
    const {
      id,
      secret: _secret,
      ...before
    } = await createWebhook(api, { description: 'x', kinds: ['message.sent'] });

    const { status, body } = await api.request('PATCH', `webhooks/${id}`, {
      headers,
      body: { url: 'http://other.example:8080/x?y', channels: ['EMAIL'] },
    });

    expect(status).toBe(200);
    expect(body).toEqual({
      ...before,
      id,
      url: 'http://other.example:8080/x?y',
      channels: ['EMAIL'],
      updatedAt: expect.any(Number),
    });
    expect(
      (
        await api.request('PATCH', `webhooks/${id}`, {
          headers,
          body: { description: '', kinds: [], channels: [] },
        })
      ).body,
    ).toMatchObject({ description: '', kinds: [], channels: [] });
  });

  test('disables and enables it, visibly', async () => {
    const { id } = await createWebhook(api);

    const off = await api.request('PATCH', `webhooks/${id}`, {
      headers,
      body: { enabled: false },
    });
    const on = await api.request('PATCH', `webhooks/${id}`, {
      headers,
      body: { enabled: true },
    });

    expect(off.body).toMatchObject({
      status: 'disabled',
      disabledReason: 'by_hand',
      disabledAt: expect.any(Number),
    });
    expect(on.body).toMatchObject({ status: 'enabled', disabledReason: null, disabledAt: null });
  });
});

test('POST webhooks/{id}/rotate-secret creates a new secret, shown once; the old one signs for a day', async () => {
  const { id, secret } = await createWebhook(api);

  const { status, body } = await api.request<Webhook>('POST', `webhooks/${id}/rotate-secret`, {
    headers,
  });

  expect(status).toBe(200);
  expect(body.secret).toMatch(/^whsec_[\w+/]{43}=$/);
  expect(body.secret).not.toBe(secret);
  expect(Number(body['previousSecretUntil']) - Date.now()).toBeGreaterThan(23.9 * 3_600_000);
});

describe('POST webhooks/{id}/test', () => {
  test('returns the endpoint’s response', async () => {
    const { id } = await createWebhook(api, { kinds: ['message.sent'] });

    expect((await ping(id)).body).toMatchObject({
      ok: true,
      status: 'succeeded',
      statusCode: 204,
      durationMs: 12,
      eventId: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
    });
    const refused = await ping(id, {
      outcome: 'failed',
      reason: 'attempts_exhausted',
      attempt: { at: 5, durationMs: 3, error: 'address_refused' },
    });
    expect(refused.body).toMatchObject({ ok: false, status: 'failed', error: 'address_refused' });
  });

  test('is pending when no worker sends', async () => {
    await using impatient = await startTestApi({ testSendTimeoutMs: 50 });
    const { id } = await createWebhook(impatient);

    const { body } = await impatient.request('POST', `webhooks/${id}/test`, {
      headers: impatient.asAdmin,
    });

    expect(body).toEqual({
      ok: false,
      status: 'pending',
      deliveryId: expect.any(String),
      eventId: expect.any(String),
    });
  });
});

describe('GET webhooks/{id}/deliveries', () => {
  test('is the log, newest first, by page and by status', async () => {
    const { id } = await createWebhook(api);
    for (const outcome of [
      SUCCESS,
      { outcome: 'failed', reason: 'attempts_exhausted' } as const,
      SUCCESS,
    ])
      await ping(id, outcome);
    const get = async (query: string) =>
      (
        await api.request<Page<WebhookEntry>>('GET', `webhooks/${id}/deliveries?${query}`, {
          headers,
        })
      ).body;

    const all = await get('');
    const first = await get('limit=2');
    const second = await get(`limit=2&cursor=${first.nextCursor}`);

    expect(all.items.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded']);
    expect([...first.items, ...second.items]).toEqual(all.items);
    expect(second.nextCursor).toBeNull();
    expect((await get('status=failed')).items).toEqual([all.items[1]]);
    expect(all.items[0]).toMatchObject({
      type: 'webhook.ping',
      attempts: 1,
      attemptLog: [{ at: 5, durationMs: 12, statusCode: 204 }],
      lastAnswer: 'ok',
      nextAttemptAt: null,
      replayOf: null,
    });
  });
});

test('POST webhooks/{id}/deliveries/{deliveryId}/replay sends the event again with the same id, as a new delivery', async () => {
  const { id } = await createWebhook(api);
  const { body: sent } = await ping(id);

  const { status, body } = await api.request<WebhookEntry>(
    'POST',
    `webhooks/${id}/deliveries/${String(sent['deliveryId'])}/replay`,
    { headers },
  );

  expect(status).toBe(200);
  expect(body).toMatchObject({
    eventId: sent['eventId'],
    replayOf: sent['deliveryId'],
    status: 'pending',
    attempts: 0,
    nextAttemptAt: expect.any(Number),
  });
  const { body: log } = await api.request<Page<WebhookEntry>>('GET', `webhooks/${id}/deliveries`, {
    headers,
  });
  expect(log.items.map((entry) => [entry.id, entry.status])).toEqual([
    [body.id, 'pending'],
    [sent['deliveryId'], 'succeeded'],
  ]);
});
