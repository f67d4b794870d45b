import type { HeaderList } from '@tidings/platform';
import type { ServerResponse } from 'node:http';

const EXPOSED_HEADERS =
  'X-Request-Id, API-Version, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, Preference-Applied';
const PREFLIGHT_SECONDS = 86_400;

/**
 * Answers a browser that asks whether a page may call: any may. A preflight carries no key, so which origins a key is for
 * is looked at on the call itself.
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

/** Lets the page that called read the answer, whatever it is: a fault it cannot read is a fault it cannot mend. */
export const READABLE_BY_PAGES: HeaderList = [
  // No cookie is ever looked at, so nothing depends on whose page it is.
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED_HEADERS,
];
