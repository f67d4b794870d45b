import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test.each([
  [{}, ['/name', '/type']],
  [{ type: 'admin', name: 'x' }, ['/type']],
  [{ type: 'Server', name: 'x' }, ['/type']],
  [{ type: 'server', name: '' }, ['/name']],
  [{ type: 'server', name: 'a\u0000' }, ['/name']],
  [{ type: 'server', name: '\ud800' }, ['/name']],
  [{ type: 'server', name: 'x'.repeat(101) }, ['/name']],
  [{ type: 'client', name: 'x', scopes: [] }, ['/scopes']],
  [{ type: 'client', name: 'x', allowedOrigins: 'https://x.example' }, ['/allowedOrigins']],
  [
    { type: 'client', name: 'x', allowedOrigins: Array(21).fill('https://x.example') },
    ['/allowedOrigins'],
  ],
  ...[
    'https://x.example/',
    'https://x.example/path',
    'https://X.example',
    'https://x.example:443',
    'http://x.example:80',
    'https://u@x.example',
    'https://*.x.example',
    'ftp://x.example',
    'x.example',
    'null',
    '*',
    'https://',
    'https://ü.example',
  ].map(
    (origin) =>
      [
        { type: 'client', name: 'x', allowedOrigins: ['https://ok.example', origin] },
        ['/allowedOrigins/1'],
      ] as const,
  ),
])('POST keys %j', async (body, pointers) => {
  const { status, problem } = await api.request('POST', 'keys', { headers, body });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer).toSorted()).toEqual(pointers);
  expect(api.keyChanges).toEqual([]);
});

test.each([{}, { type: 'push' }, { type: null }])('PATCH keys/{id} %j', async (body) => {
  const { body: page } = await api.request<{ items: { id: string }[] }>('GET', 'keys', {
    headers,
  });

  const { status, problem } = await api.request('PATCH', `keys/${String(page.items[0]?.id)}`, {
    headers,
    body,
  });

  expect(status).toBe(400);
  expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/type']);
});
