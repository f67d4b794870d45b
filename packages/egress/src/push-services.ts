import { list, type ConfigOf, type ConfigSpec } from '@tidings/platform';

export const pushServicesConfig = {
  webPushServices: list(
    'WEB_PUSH_SERVICES',
    'Push services of browsers: host names (*. for all below one), reached over https at port 443; or the origin of a stand-in (http://127.0.0.1:8025).',
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
 * Tells whether an endpoint is one of a push service that is known. Endpoints come from browsers, hence from anybody: without
 * this an installation would post to whatever address somebody writes down.
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
    // An empty port is that of the scheme.
    if (url.protocol !== 'https:' || url.port !== '') return false;
    return hosts.has(url.hostname) || suffixes.some((suffix) => url.hostname.endsWith(suffix));
  };
}
