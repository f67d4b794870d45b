import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadConfig } from '@tidings/platform';
import { gatewayConfig } from './config.ts';
import { startTestGateway, type TestGateway } from './testing/test-gateway.ts';

const DASHBOARD_URL = 'https://tidings.example/dashboard';
const CHROMIUM =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ dashboardUrl: DASHBOARD_URL });
});
afterAll(() => gateway[Symbol.asyncDispose]());

const call = (
  accept: string | undefined,
  { method = 'GET', path = '/', url = gateway.url } = {},
): Promise<Response> =>
  fetch(url + path, {
    method,
    redirect: 'manual',
    // fetch adds */* by itself.
    headers: accept === undefined ? {} : { Accept: accept },
  });

test.each([
  ['GET', CHROMIUM],
  ['GET', 'text/html'],
  ['GET', 'TEXT/HTML;charset=utf-8'],
  ['GET', 'application/json, text/html;q=0.1'],
  ['HEAD', CHROMIUM],
])('%s / with Accept %s is 303 to the dashboard', async (method, accept) => {
  const answer = await call(accept, { method });

  expect([answer.status, answer.headers.get('Location')]).toEqual([303, DASHBOARD_URL]);
  expect(answer.headers.get('Vary')).toBe('Accept');
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(answer.headers.get('X-Request-Id')).toMatch(/^[\da-f-]{36}$/);
  expect(answer.headers.get('API-Version')).toBe('1');
  expect(await answer.text()).toBe('');
});

test('a query is no other address', async () => {
  expect((await call(CHROMIUM, { path: '/?utm_source=mail' })).status).toBe(303);
});

test.each([undefined, '*/*', 'text/*', 'application/json', 'text/html;q=0', 'text/htmlx'])(
  'GET / with Accept %s is 405',
  async (accept) => {
    const answer = await call(accept);

    expect([answer.status, answer.headers.get('Allow')]).toEqual([405, 'POST, OPTIONS']);
    expect(await answer.json()).toMatchObject({ code: 'method_not_allowed' });
  },
);

test.each([
  ['GET', '/v1'],
  ['GET', '/push'],
  ['GET', '/v1/push'],
  ['PUT', '/'],
  ['DELETE', '/'],
])('%s %s of a browser is 405', async (method, path) => {
  expect((await call(CHROMIUM, { method, path })).status).toBe(405);
});

test.each(['GET', 'HEAD'])('without DASHBOARD_URL %s / of a browser is 405', async (method) => {
  await using bare = await startTestGateway();

  expect((await call(CHROMIUM, { method, url: bare.url })).status).toBe(405);
});

test.each(['dashboard', 'ftp://tidings.example/', 'https://tidings.example/?a=b'])(
  'DASHBOARD_URL %s stops the start',
  (dashboardUrl) => {
    const read = () => loadConfig(gatewayConfig, { DASHBOARD_URL: dashboardUrl });

    expect(read).toThrow(/DASHBOARD_URL/);
  },
);

test('plain HTTP is sent to https first', async () => {
  await using behindProxy = await startTestGateway({
    dashboardUrl: DASHBOARD_URL,
    trustedProxies: ['127.0.0.1'],
  });

  const answer = await fetch(behindProxy.url, {
    redirect: 'manual',
    headers: { Accept: CHROMIUM, 'X-Forwarded-Proto': 'http' },
  });

  expect(answer.status).toBe(308);
});
