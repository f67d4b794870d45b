import { afterAll, expect, test } from '@jest/globals';
import { openApiDocument } from '@tidings/openapi/document';
import { apiRoutes } from '../server.ts';
import { startTestApi } from '../testing/test-api.ts';

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});

test('GET /openapi.json is public', async () => {
  const { status, headers, body } = await api.request('GET', '../../openapi.json', {
    headers: {},
  });

  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocument(apiRoutes(api.deps)))));
});
