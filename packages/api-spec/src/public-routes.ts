/** A path with all paths below it, and the service that answers it. */
export type Route = {
  readonly path: string;
  readonly service: string;
};

/**
 * The routes of an installation's one public address. The chart has the same ones for Ingress and
 * Gateway.
 */
export const PUBLIC_ROUTES = [
  // Everything else: the gateway answers its 404.
  { path: '/', service: 'gateway' },
  { path: '/push', service: 'gateway' },
  { path: '/v1', service: 'gateway' },
  { path: '/api', service: 'api' },
  { path: '/dashboard', service: 'api' },
  { path: '/openapi.json', service: 'api' },
  // The API reference and the guides.
  { path: '/docs', service: 'api' },
  // Provider callbacks; authenticated by the provider's signature, not by an API key.
  { path: '/cb', service: 'client-api' },
  // Called by devices, with a Client key.
  { path: '/sdk', service: 'client-api' },
  // Links in e-mails: opens, clicks, unsubscribes.
  { path: '/t', service: 'client-api' },
  { path: '/u', service: 'client-api' },
] as const satisfies readonly Route[];

/**
 * Finds the service of a request: the longest route path that equals or contains the request's
 * path, by path segments.
 */
export function createRouter<Name extends string>(
  routes: readonly { readonly path: string; readonly service: Name }[],
): (url: string) => Name | undefined {
  const longestFirst = routes.toSorted((a, b) => b.path.length - a.path.length);
  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    return longestFirst.find(
      (route) => route.path === '/' || path === route.path || path.startsWith(`${route.path}/`),
    )?.service;
  };
}
