import type { HeaderList } from '@tidings/platform';
import type { ServerResponse } from 'node:http';

const EXPOSED_HEADERS =
  'X-Request-Id, API-Version, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Preference-Applied';
const PREFLIGHT_SECONDS = 86_400;

/**
 * Answers CORS preflights: every origin may call. A preflight carries no key, so the allowed
 * origins of a key are checked on the call itself.
 */
export function answerPreflights({
  methods,
  headers,
}: {
  readonly methods: readonly string[];
  readonly headers: readonly string[];
}): (req: unknown, res: ServerResponse) => void {
  const [allowedMethods, allowedHeaders] = [methods.join(', '), headers.join(', ')];
  return (_req, res) => {
    res.setHeader('Access-Control-Allow-Origin', '*');
    res.setHeader('Access-Control-Allow-Methods', allowedMethods);
    res.setHeader('Access-Control-Allow-Headers', allowedHeaders);
    res.setHeader('Access-Control-Max-Age', PREFLIGHT_SECONDS);
    res.setHeader('Allow', `${allowedMethods}, OPTIONS`);
    res.statusCode = 204;
    res.end();
  };
}

/**
 * Lets the calling page read every response, errors included: an unreadable error cannot be fixed.
 */
export const READABLE_BY_PAGES: HeaderList = [
  // `*` is safe: no endpoint reads cookies.
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED_HEADERS,
];
