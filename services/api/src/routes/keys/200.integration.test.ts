import { afterAll, describe, expect, test } from '@jest/globals';
import { asKey, startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { tenant, asAdmin: headers } = api;

type Key = { readonly id: string; readonly type: string; readonly key?: string };
type Page = { readonly items: readonly Key[]; readonly nextCursor: string | null };

const create = async (): Promise<Key> =>
  (await api.request<Key>('POST', 'keys', { headers, body: { type: 'server', name: 'x' } })).body;

describe('GET keys', () => {
  test('lists the application’s keys, oldest first, without their text', async () => {
    const { body, text } = await api.request<Page>('GET', 'keys', { headers });

    expect(body.items.map(({ type }) => type)).toEqual(['server', 'client']);
    expect(body.nextCursor).toBeNull();
    for (const key of [tenant.serverKey, tenant.clientKey, api.other.serverKey])
      expect(text).not.toContain(key);
  });

  test('pages', async () => {
    const first = await api.request<Page>('GET', 'keys?limit=1', { headers });
    const second = await api.request<Page>('GET', `keys?limit=1&cursor=${first.body.nextCursor}`, {
      headers,
    });

    expect([first, second].flatMap(({ body }) => body.items.map(({ type }) => type))).toEqual([
      'server',
      'client',
    ]);
    expect(second.body.nextCursor).toBeNull();
  });
});

describe('PATCH keys/{id}', () => {
  test('turns a Server key into a Client key: same text, at once with fewer permissions', async () => {
    const { id, key = '' } = await create();
    expect((await api.request('GET', 'campaigns', { headers: asKey(tenant, key) })).status).toBe(
      200,
    );

    const { status, body } = await api.request('PATCH', `keys/${id}`, {
      headers,
      body: { type: 'client' },
    });

    expect(status).toBe(200);
    expect(body).toMatchObject({ id, type: 'client' });
    expect(body).not.toHaveProperty('key');
    expect(api.keyChanges.at(-1)).toBe(tenant.applicationId);
    expect(
      (await api.request('GET', 'campaigns', { headers: asKey(tenant, key) })).problem.code,
    ).toBe('client_key_forbidden');
  });
});
