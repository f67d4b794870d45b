import { afterAll, expect, test } from '@jest/globals';
import { openApiDocument } from '@tidings/api-spec/openapi/document';
import { apiRoutes } from '../server.ts';
import { startTestDashboard } from '../testing/test-dashboard.ts';

const dashboard = await startTestDashboard();
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]();
});

test('GET /openapi.json is the document, for everybody', async () => {
  const { status, headers, body } = await dashboard.request('GET', '../../openapi.json', {
    headers: {},
  });

  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(body).toEqual(JSON.parse(JSON.stringify(openApiDocument(apiRoutes(dashboard.deps)))));
});
