import { API_VERSION } from '@tidings/contracts';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AppError } from '../app-error.ts';
import type { Ids } from '../ids.ts';
import { Counter } from '../metrics.ts';
import { createSchemeReader } from './client-address.ts';
import { sendProblem } from './problem.ts';

const plainRequestsTotal = new Counter({
  name: 'tidings_plain_http_requests_total',
  help: 'Requests that were not processed because a proxy took them by plain HTTP.',
});

export type HttpsOnlyOptions = {
  /** Else the handler has every request. */
  readonly isHttpsOnly: boolean;
  /** Networks whose `X-Forwarded-Proto` is believed. */
  readonly trustedProxies: readonly string[];
  readonly ids: Ids;
};

/**
 * Keeps from the handler, before key or body are looked at, what a trusted proxy says came to it by plain HTTP: GET and HEAD
 * are answered 308 to https, anything else is refused. Who calls without a proxy, from inside or on one's own machine, is let
 * through.
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
    const location = req.method === 'GET' || req.method === 'HEAD' ? httpsAddressOf(req) : null;
    if (location === null)
      sendProblem(
        res,
        new AppError('https_required', 'Nothing was taken. Call this address with https.'),
        { requestId },
      );
    else sendOn(res, location, requestId);
  };
}

function sendOn(res: ServerResponse, location: string, requestId: string): void {
  // Kept, it would lead in circles long after a proxy has learnt to say https; for the rest there is HSTS.
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

/** A name or an address, with a port or without. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Path and query of a request at its host, where https has its own port. Null where `Host` is no host, or `*` stands
 * for the path. `X-Forwarded-Host` has no say: proxies pass it on from callers.
 */
function httpsAddressOf({
  headers,
  url = '',
}: Pick<IncomingMessage, 'headers' | 'url'>): string | null {
  const [, host] = HOST.exec(headers.host ?? '') ?? [];
  const whole = url.startsWith('/') ? null : URL.parse(url);
  const path = whole === null ? url : whole.pathname + whole.search;
  const isUsable = host !== undefined && URL.canParse(`https://${host}`) && path.startsWith('/');
  return isUsable ? `https://${host}${path}` : null;
}
