import { afterAll, describe, expect, test } from '@jest/globals';
import { asKey, startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = api;

describe('POST keys', () => {
  test('creates a working key, shown once, and notifies gateways', async () => {
    const { status, body } = await api.request('POST', 'keys', {
      headers,
      body: { type: 'server', name: 'back end' },
    });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      type: 'server',
      name: 'back end',
      prefix: expect.stringMatching(/^sk_\w{4}$/),
      allowedOrigins: [],
      createdAt: expect.any(Number),
      lastUsedAt: null,
      key: expect.stringMatching(/^sk_\w{40}$/),
    });
    expect(api.keyChanges).toEqual([tenant.applicationId]);
    expect(
      (await api.request('GET', 'campaigns', { headers: asKey(tenant, String(body['key'])) }))
        .status,
    ).toBe(200);
    expect((await api.request('GET', 'keys', { headers })).text).not.toContain(String(body['key']));
  });

  test('the key is not in the database', async () => {
    const { body } = await api.request('POST', 'keys', {
      headers,
      body: { type: 'client', name: 'browser' },
    });

    const { rows } = await db.sql.query<{ row: string }>(
      `select api_keys::text || encode(key_hash, 'escape') as row from api_keys where application_id = $1`,
      [tenant.applicationId],
    );

    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ row }) => row.includes(String(body['key'])))).toEqual([]);
    expect(body).toMatchObject({ type: 'client', prefix: expect.stringMatching(/^ck_/) });
  });

  test('stores the allowed origins and lists them', async () => {
    const allowedOrigins = [
      'https://shop.example',
      'http://localhost:3000',
      'https://xn--tda.example',
    ];

    const { body } = await api.request('POST', 'keys', {
      headers,
      body: { type: 'client', name: 'browser', allowedOrigins },
    });

    expect(body).toMatchObject({ allowedOrigins });
    const list = await api.request<{ items: { id: string; allowedOrigins: string[] }[] }>(
      'GET',
      'keys',
      { headers },
    );
    expect(list.body.items.find(({ id }) => id === body['id'])?.allowedOrigins).toEqual(
      allowedOrigins,
    );
  });
});
