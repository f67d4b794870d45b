import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '@tidings/platform';
import { resolveDashboardUrl, getRedirectUri } from '../dashboard-url.ts';
import { oidcConfig, readOidcSettings, findRole } from './oidc-config.ts';

const WHOLE = {
  OIDC_ISSUER: 'https://sso.example',
  OIDC_CLIENT_ID: 'tidings',
  OIDC_ROLES: '{"ops":"admin","*":"viewer"}',
};
const settingsOf = (environment: Readonly<Record<string, string>>) =>
  readOidcSettings(loadConfig(oidcConfig, environment));

describe('the identity provider', () => {
  test('is null without any of its settings', () => {
    expect(settingsOf({})).toBeNull();
  });

  test('has the configured settings', () => {
    expect(settingsOf(WHOLE)).toEqual({
      issuer: new URL('https://sso.example'),
      clientId: 'tidings',
      clientSecret: null,
      name: 'Single sign-on',
      scopes: 'openid email profile',
      groupsClaim: 'groups',
      roles: { ops: 'admin', '*': 'viewer' },
    });
    expect(settingsOf({ ...WHOLE, OIDC_ISSUER: 'http://127.0.0.1:5556/dex' })).not.toBeNull();
  });

  test.each([
    [{ OIDC_ISSUER: '' }],
    [{ OIDC_ISSUER: 'sso.example' }],
    [{ OIDC_ISSUER: 'http://sso.example' }],
    [{ OIDC_CLIENT_ID: '' }],
    [{ OIDC_ROLES: '' }],
    [{ OIDC_ROLES: '{}' }],
    [{ OIDC_ROLES: '[]' }],
    [{ OIDC_ROLES: '{"ops":"root"}' }],
    [{ OIDC_ROLES: 'ops=admin' }],
  ])('prevents the start when incomplete: %j', (wrong) => {
    expect(() => settingsOf({ ...WHOLE, ...wrong })).toThrow(/OIDC_/);
  });

  test.each<[unknown, string | null]>([
    [['ops'], 'admin'],
    ['ops', 'admin'],
    [['others'], 'viewer'],
    [[], 'viewer'],
    [undefined, 'viewer'],
    [[5, null, 'constructor', '__proto__'], 'viewer'],
  ])('groups %j: %s', (groups, role) => {
    expect(findRole(groups, { ops: 'admin', '*': 'viewer' })).toBe(role);
  });

  test('a person without a matching group has no role, and a group named * does not match', () => {
    expect(findRole(['*'], { ops: 'admin' })).toBeNull();
    expect(findRole(['constructor'], { ops: 'admin' })).toBeNull();
  });
});

describe('dashboard-url', () => {
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
  ])('%j: the dashboard is at %s', (config, url) => {
    expect(resolveDashboardUrl(config)).toBe(url);
  });

  test.each([
    'console.example',
    'ftp://console.example',
    'https://ada@console.example',
    'https://console.example/#x',
    'https://console.example/?x',
  ])('%s prevents the start', (dashboardUrl) => {
    expect(() => resolveDashboardUrl({ ...NONE, dashboardUrl })).toThrow(/DASHBOARD_URL/);
  });

  test('the redirect URI has the host of the dashboard', () => {
    expect(getRedirectUri('https://console.example/dashboard')).toBe(
      'https://console.example/api/v1/session/oidc/callback',
    );
  });
});
