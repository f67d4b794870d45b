import { afterAll, expect, test } from '@jest/globals';
import { startTestDashboard } from '../../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});
const { asAdmin: headers } = dashboard;

test('DELETE definitions/{slug} takes a definition without events away, and its name brings it back under its slug', async () => {
  const make = () =>
    dashboard.request('POST', 'definitions', { headers, body: { name: 'typo', kind: 'action' } });
  const { body } = await make();
  const path = `definitions/${String(body['slug'])}`;

  expect((await dashboard.request('DELETE', path, { headers })).status).toBe(204);

  expect((await dashboard.request('GET', path, { headers })).status).toBe(404);
  expect((await dashboard.request('GET', 'definitions', { headers })).body).toEqual({
    items: [],
    nextCursor: null,
  });
  expect(await make()).toMatchObject({ status: 201, body: { slug: body['slug'] } });
});
