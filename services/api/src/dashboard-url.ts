import { ConfigError } from '@tidings/platform';

/**
 * The dashboard URL without a trailing slash. Links and the redirect URI of the identity provider
 * are based on it, never on the Host header of a request.
 * @throws ConfigError when it is not a valid URL
 */
export function resolveDashboardUrl({
  dashboardUrl,
  publicBaseUrl,
  port,
}: {
  readonly dashboardUrl: string;
  readonly publicBaseUrl: string;
  readonly port: number;
}): string {
  const text =
    dashboardUrl !== ''
      ? dashboardUrl
      : `${publicBaseUrl !== '' ? publicBaseUrl : `http://127.0.0.1:${port}`}/dashboard`;
  const url = URL.parse(text);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  ) {
    throw new ConfigError([
      `DASHBOARD_URL or PUBLIC_BASE_URL is invalid: "${text}" is not a URL like https://host/dashboard`,
    ]);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The redirect URI for the identity provider. The API has the same host as the dashboard. */
export const getRedirectUri = (dashboardUrl: string): string =>
  new URL('/api/v1/session/oidc/callback', dashboardUrl).href;
