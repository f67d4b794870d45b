import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

type Page = {
  readonly items: readonly { readonly address: string; readonly channel: string }[];
  readonly nextCursor: string | null;
};
const list = async (query: string): Promise<Page> =>
  (await api.request<Page>('GET', `suppressions?${query}`, { headers })).body;

test('GET suppressions pages through all of them, newest first, by channel and by address', async () => {
  const emails = ['a@example.org', 'b@example.org', 'c@example.org'];
  for (const address of emails)
    await api.request('POST', 'suppressions', {
      headers,
      body: { channel: 'EMAIL', address, reason: 'suppressed_bounce' },
    });
  await api.request('POST', 'suppressions', {
    headers,
    body: { channel: 'SMS', address: '+4915112345001', reason: 'sms_stop' },
  });

  const first = await list('limit=2');
  const second = await list(`limit=2&cursor=${first.nextCursor}`);

  expect(first.items.map(({ address }) => address)).toEqual(['+4915112345001', 'c@example.org']);
  expect(second).toMatchObject({
    items: [{ address: 'b@example.org' }, { address: 'a@example.org' }],
    nextCursor: null,
  });
  expect((await list('channel=SMS')).items).toMatchObject([{ address: '+4915112345001' }]);
  expect((await list('address=B%40Example.org')).items).toMatchObject([
    { address: 'b@example.org' },
  ]);
  expect((await list('channel=SMS&address=b%40example.org')).items).toEqual([]);
});
