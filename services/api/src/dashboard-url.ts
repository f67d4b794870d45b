import { ConfigError } from '@tidings/platform';

/**
 * Where people reach the pages, without a slash at the end. Links and the identity provider's way back are made of it, never
 * of what a request says of its host.
 * @throws ConfigError when it is no address of that kind
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
      `DASHBOARD_URL or PUBLIC_BASE_URL make "${text}", which is no address as https://host/dashboard`,
    ]);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Where an identity provider sends browsers back to: the interface is at the host of the pages. */
export const getRedirectUri = (dashboardUrl: string): string =>
  new URL('/api/v1/session/oidc/callback', dashboardUrl).href;
