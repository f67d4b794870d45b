import { expect, test } from '@jest/globals';
import { dashboardUrlOf, redirectUriOf } from './dashboard-url.ts';

const NONE = { dashboardUrl: '', publicBaseUrl: '', port: 8080 };

test.each([
  [NONE, 'http://127.0.0.1:8080/dashboard'],
  [{ ...NONE, publicBaseUrl: 'https://tidings.example' }, 'https://tidings.example/dashboard'],
  [
    {
      ...NONE,
      publicBaseUrl: 'https://tidings.example',
      dashboardUrl: 'https://console.example/dashboard/',
    },
    'https://console.example/dashboard',
  ],
])('%j: the pages are at %s', (config, url) => {
  expect(dashboardUrlOf(config)).toBe(url);
});

test.each([
  'console.example',
  'ftp://console.example',
  'https://ada@console.example',
  'https://console.example/#x',
  'https://console.example/?x',
])('%s stops the start', (dashboardUrl) => {
  expect(() => dashboardUrlOf({ ...NONE, dashboardUrl })).toThrow(/DASHBOARD_URL/);
});

test('an identity provider sends back to the interface at the same host', () => {
  expect(redirectUriOf('https://console.example/dashboard')).toBe(
    'https://console.example/api/v1/session/oidc/callback',
  );
});
