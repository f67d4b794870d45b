import { AppError, Counter, type Ids, sendProblem } from '@tidings/platform';
import { API_VERSION } from '@tidings/contracts/http';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createSchemeReader } from './client-address.ts';

const plainRequestsTotal = new Counter({
  name: 'tidings_plain_http_requests_total',
  help: 'Requests rejected because they reached a proxy over plain HTTP.',
});

export type HttpsOnlyOptions = {
  /** False: every request reaches the handler. */
  readonly isHttpsOnly: boolean;
  /** Networks whose `X-Forwarded-Proto` header is trusted. */
  readonly trustedProxies: readonly string[];
  readonly ids: Ids;
};

/**
 * Rejects requests that reached a trusted proxy over plain HTTP, before key or body are read. GET
 * and HEAD get 308 to https, all others 403. Direct requests, from inside the network or the same
 * machine, pass.
 */
export function httpsOnly(
  handler: RequestListener,
  { isHttpsOnly, trustedProxies, ids }: HttpsOnlyOptions,
): RequestListener {
  if (!isHttpsOnly) return handler;
  const cameBy = createSchemeReader(trustedProxies);
  return (req, res) => {
    if (!cameBy(req, 'http')) return handler(req, res);
    plainRequestsTotal.inc();
    const requestId = ids.uuid();
    const location = req.method === 'GET' || req.method === 'HEAD' ? findHttpsAddress(req) : null;
    if (location === null)
      sendProblem(
        res,
        new AppError('https_required', 'Nothing was stored. Call this URL with https.'),
        { requestId },
      );
    else sendOn(res, location, requestId);
  };
}

function sendOn(res: ServerResponse, location: string, requestId: string): void {
  // no-store: a cached redirect would loop after the proxy is fixed to report https. HSTS is the
  // lasting redirect.
  res
    .writeHead(308, [
      'X-Request-Id',
      requestId,
      'API-Version',
      API_VERSION,
      'Location',
      location,
      'Cache-Control',
      'no-store',
      'Content-Length',
      '0',
    ])
    .end();
}

/** A name or an address, with an optional port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * The https URL of a request: its host without the port, its path and query. Null if `Host` is not
 * a host or the path is `*`. `X-Forwarded-Host` is ignored: proxies forward it from callers.
 */
function findHttpsAddress({
  headers,
  url = '',
}: Pick<IncomingMessage, 'headers' | 'url'>): string | null {
  const [, host] = HOST.exec(headers.host ?? '') ?? [];
  const whole = url.startsWith('/') ? null : URL.parse(url);
  const path = whole === null ? url : whole.pathname + whole.search;
  const isUsable = host !== undefined && URL.canParse(`https://${host}`) && path.startsWith('/');
  return isUsable ? `https://${host}${path}` : null;
}
