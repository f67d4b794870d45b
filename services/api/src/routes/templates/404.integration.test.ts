import { afterAll, expect, test } from '@jest/globals';
import { startTestApi } from '../../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { asAdmin: headers } = api;
const content = { channel: 'SMS', message: { body: 'x' } };
await api.request('PUT', 'templates/known', { headers, body: { name: 'Known', ...content } });

test.each([
  ['GET', 'templates/unknown'],
  ['DELETE', 'templates/unknown'],
  ['GET', 'templates/unknown/versions'],
  ['GET', 'templates/No%20slug'],
  ['POST', 'templates/unknown/preview'],
])('%s %s', async (method, path) => {
  expect(
    (await api.request(method, path, { headers, ...(method === 'POST' && { body: {} }) })).status,
  ).toBe(404);
});

test('a template of another application', async () => {
  const others = { ...headers, 'X-Application-Id': api.other.applicationId };

  expect((await api.request('GET', 'templates/known', { headers: others })).status).toBe(404);
});

test.each([{ version: 2 }, { customUserId: 'unregistered' }])(
  'POST templates/known/preview of %j',
  async (body) => {
    expect((await api.request('POST', 'templates/known/preview', { headers, body })).status).toBe(
      404,
    );
  },
);

test('POST templates/preview for a user who is not registered', async () => {
  const body = { ...content, customUserId: 'nobody' };

  expect((await api.request('POST', 'templates/preview', { headers, body })).status).toBe(404);
});
