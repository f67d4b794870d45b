import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;

test('DELETE definitions/{slug} deletes a definition without events, and its name restores it under the same slug', async () => {
  const make = () =>
    api.request('POST', 'definitions', { headers, body: { name: 'typo', kind: 'action' } });
  const { body } = await make();
  const path = `definitions/${String(body['slug'])}`;

  expect((await api.request('DELETE', path, { headers })).status).toBe(204);

  expect((await api.request('GET', path, { headers })).status).toBe(404);
  expect((await api.request('GET', 'definitions', { headers })).body).toEqual({
    items: [],
    nextCursor: null,
  });
  expect(await make()).toMatchObject({ status: 201, body: { slug: body['slug'] } });
});
