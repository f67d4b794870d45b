import { list, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const pushServicesConfig = {
  webPushServices: list(
    'WEB_PUSH_SERVICES',
    'Web-push services of browsers: host names (*. for all subdomains), reached over https at port 443; or the origin of a test service (http://127.0.0.1:8025).',
    {
      default: [
        '*.googleapis.com',
        '*.push.services.mozilla.com',
        '*.push.apple.com',
        '*.notify.windows.com',
      ],
    },
  ),
} as const satisfies ConfigSpec;

/**
 * Checks whether an endpoint belongs to a known push service. Endpoints come from browsers, so
 * anyone can invent them: without this check, an installation would send requests to any address.
 */
export function createPushServices({
  webPushServices,
}: ConfigOf<typeof pushServicesConfig>): (endpoint: string) => boolean {
  const origins = new Set(
    webPushServices
      .filter((entry) => entry.includes('://'))
      .map((entry) => URL.parse(entry)?.origin),
  );
  const hosts = new Set(
    webPushServices.filter((entry) => !entry.includes('://') && !entry.startsWith('*.')),
  );
  const suffixes = webPushServices
    .filter((entry) => entry.startsWith('*.'))
    .map((entry) => entry.slice(1));
  return (endpoint) => {
    const url = URL.parse(endpoint);
    if (url === null || url.username !== '' || url.password !== '') return false;
    if (origins.has(url.origin)) return true;
    // An empty port is the default of the scheme.
    if (url.protocol !== 'https:' || url.port !== '') return false;
    return hosts.has(url.hostname) || suffixes.some((suffix) => url.hostname.endsWith(suffix));
  };
}
