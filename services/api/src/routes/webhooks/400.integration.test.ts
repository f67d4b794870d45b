import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';
import { createWebhook } from '../../testing/webhooks.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;
const { id } = await createWebhook(api);

const BAD_URLS = [
  '',
  'hooks.example',
  'ftp://hooks.example/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'https://',
  'https://user@hooks.example/',
  'https://user:password@hooks.example/',
  'https://hooks.example/#top',
  'https://hooks.example/a b',
  'https://hooks.example/\n',
  'https://hooks.example:99999/',
  'https://999.999.999.999/',
  `https://hooks.example/${'x'.repeat(2_048)}`,
  `https://hooks.example/${'ü'.repeat(500)}`,
];

test.each([
  [{}, ['/url']],
  [{ url: 5 }, ['/url']],
  ...BAD_URLS.map((url) => [{ url }, ['/url']] as const),
  [{ url: 'https://x.example', kinds: 'message.sent' }, ['/kinds']],
  [{ url: 'https://x.example', kinds: ['message.sent', 'message.lost'] }, ['/kinds/1']],
  [{ url: 'https://x.example', kinds: ['webhook.ping'] }, ['/kinds/0']],
  [{ url: 'https://x.example', channels: ['FAX'] }, ['/channels/0']],
  [{ url: 'https://x.example', channels: Array(8).fill('SMS') }, ['/channels']],
  [{ url: 'https://x.example', description: 'a\nb' }, ['/description']],
  [{ url: 'https://x.example', description: 'x'.repeat(201) }, ['/description']],
  [{ url: 'https://x.example', secret: 'whsec_mine' }, ['/secret']],
])('POST webhooks %j', async (body, pointers) => {
  const { status, problem } = await api.request('POST', 'webhooks', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
});

test.each([
  [{ enabled: 'yes' }, ['/enabled']],
  [{ enabled: null }, ['/enabled']],
  [{ url: 'https://user@hooks.example/' }, ['/url']],
  [{ status: 'enabled' }, ['/status']],
])('PATCH webhooks/{id} %j', async (body, pointers) => {
  const { status, problem } = await api.request('PATCH', `webhooks/${id}`, { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(pointers);
});

test.each([
  ['status=lost', '/status'],
  ['cursor=x', '/cursor'],
  ['limit=501', '/limit'],
])('GET webhooks/{id}/deliveries?%s', async (query, pointer) => {
  const { status, problem } = await api.request('GET', `webhooks/${id}/deliveries?${query}`, {
    headers,
  });

  expect(status).toBe(400);
  expect(problem.errors?.map((error) => error.pointer)).toEqual([pointer]);
});
