import { afterAll, expect, test } from '@jest/globals';
import { createDefinition } from '@tidings/events/definitions/definitions';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other, asAdmin: headers } = api;

const slugOf = async (applicationId: string): Promise<string> => {
  const made = await createDefinition(db, { applicationId, name: 'bought', kind: 'action' });
  return typeof made === 'string' ? made : made.slug;
};
const [own, theirs] = [await slugOf(tenant.applicationId), await slugOf(other.applicationId)];

test.each([
  ['a slug that nothing has', 'nosuch'],
  ['a definition of another tenant', theirs],
  ['U+0000', '%00'],
])('%s', async (_name, slug) => {
  expect(
    (await api.request('PATCH', `definitions/${slug}`, { headers, body: { name: 'x' } })).status,
  ).toBe(404);
  expect((await api.request('DELETE', `definitions/${slug}`, { headers })).status).toBe(404);
  expect(
    (await api.request('POST', `definitions/${slug}/merge`, { headers, body: { into: own } }))
      .status,
  ).toBe(404);
});

test('merging into an unknown definition', async () => {
  for (const into of ['nosuch', theirs]) {
    expect(
      (await api.request('POST', `definitions/${own}/merge`, { headers, body: { into } })).status,
    ).toBe(404);
  }
});
