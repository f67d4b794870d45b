import { afterAll, expect, test } from '@jest/globals';
import { registerUsers } from '@tidings/testing';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, asAdmin: headers } = api;
await registerUsers(db, tenant.applicationId, ['ada']);
const put = (slug: string, country: string) =>
  api.request('PUT', `segments/${slug}`, {
    headers,
    body: { name: slug, condition: { field: 'country', is: country } },
  });
type Page = { items: { slug: string; version: number }[]; nextCursor: string | null };
const get = async (path: string): Promise<Page> =>
  (await api.request<Page>('GET', path, { headers })).body;

test.each(['segments', 'users/ada/segments'])(
  'GET %s goes on after a segment that was deleted meanwhile',
  async (path) => {
    for (const slug of ['a-1', 'a-2', 'a-3']) await put(slug, 'DE');
    const { nextCursor } = await get(`${path}?limit=2`);

    await api.request('DELETE', `segments/${nextCursor}`, { headers });

    expect((await get(`${path}?limit=1&cursor=${nextCursor}`)).items).toMatchObject([
      { slug: 'a-3' },
    ]);
  },
);

test('versions of a segment come in pages, newest first', async () => {
  for (const country of ['DE', 'AT', 'CH']) await put('often', country);

  const first = await get('segments/often/versions?limit=2');
  const second = await get(`segments/often/versions?limit=2&cursor=${first.nextCursor}`);

  expect(first.items.map(({ version }) => version)).toEqual([3, 2]);
  expect(second).toMatchObject({ items: [{ version: 1 }], nextCursor: null });
});
