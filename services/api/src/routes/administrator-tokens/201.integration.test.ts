import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { headers, member } = await api.signIn('admin');

test('a token is shown once, works until revoked, and has its creator and last use', async () => {
  const made = await api.request<{ id: string; token: string }>('POST', 'administrator-tokens', {
    headers,
    body: { name: 'Deployment' },
  });
  const { id, token } = made.body;
  const asToken = {
    Authorization: `Bearer ${token}`,
    'X-Application-Id': api.tenant.applicationId,
  };

  expect(made.status).toBe(201);
  expect(made.body).toMatchObject({
    name: 'Deployment',
    prefix: token.slice(0, 7),
    createdBy: `member:${member.email}`,
    lastUsedAt: null,
  });
  expect((await api.request('GET', 'keys', { headers: asToken })).status).toBe(200);
  const list = await api.request<{ items: { id: string; lastUsedAt: number | null }[] }>(
    'GET',
    'administrator-tokens?limit=500',
    { headers },
  );
  expect(list.body.items.find((item) => item.id === id)?.lastUsedAt).toEqual(expect.any(Number));
  expect(list.text).not.toContain(token);
  expect((await api.request('DELETE', `administrator-tokens/${id}`, { headers })).status).toBe(204);
  expect((await api.request('GET', 'keys', { headers: asToken })).status).toBe(403);
  expect((await api.request('DELETE', `administrator-tokens/${id}`, { headers })).status).toBe(404);
});
