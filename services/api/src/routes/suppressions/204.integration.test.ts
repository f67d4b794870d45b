import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test('DELETE suppressions/{id} removes one reason; the others stay', async () => {
  const add = (reason: string) =>
    api.request('POST', 'suppressions', {
      headers,
      body: { channel: 'EMAIL', address: 'ada@example.org', reason },
    });
  const { body } = await add('suppressed_bounce');
  await add('suppressed_complaint');

  const { status, text } = await api.request('DELETE', `suppressions/${String(body['id'])}`, {
    headers,
  });

  expect([status, text]).toEqual([204, '']);
  expect((await api.request('GET', 'suppressions', { headers })).body).toMatchObject({
    items: [{ reason: 'suppressed_complaint' }],
    nextCursor: null,
  });
});
