export type Route = {
  readonly path: string;
  readonly service: string;
};

/**
 * The service of a request: the longest route path that equals or contains the request's path, by
 * path segments.
 */
export function matchRoute(routes: readonly Route[], url: string): string | undefined {
  const path = url.split('?', 1)[0] ?? '';
  const matches = routes.filter(
    (route) => route.path === '/' || path === route.path || path.startsWith(`${route.path}/`),
  );
  return matches.toSorted((a, b) => b.path.length - a.path.length)[0]?.service;
}
