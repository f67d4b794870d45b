import {
  selectBuckets,
  credentialsOf,
  authorize,
  grantOf,
  rateLimitedError,
  READABLE_BY_PAGES,
  settleBody,
  addTightestRateHeaders,
  addRateHeaders,
  type RateNames,
  type Credentials,
  type GuardedEndpoint,
  type Authorizer,
} from '@tidings/access';
import { LIMITS } from '@tidings/contracts';
import type { Request, RequestHandler, Response } from 'express';
import { openBeacon, readJson, type Beacon } from './read-json.ts';

/** What is counted below `/sdk/v1`: the calls of an application, those from each network address and of each device, and bytes. */
export type SdkRate = 'sdk' | 'sdkDevice' | 'ingestClientAddress' | 'ingestBytes';

const COUNTED_BY: RateNames<SdkRate> = {
  requests: 'sdk',
  block: 'ingestClientAddress',
  bytes: 'ingestBytes',
};
const DOOR: GuardedEndpoint<SdkRate> = {
  countedBy: { server: COUNTED_BY, client: COUNTED_BY },
  bodyBytesMax: LIMITS.sdkBodyBytesMax,
  required: 'client',
};

/** What every route below `/sdk/v1` begins with. */
export interface SdkGuard {
  /** For calls without a body. */
  readonly authorize: RequestHandler;
  /** For calls with one: the parsed body is in `req.body`, wherever the key came from. */
  readonly authorizeWithBody: RequestHandler;
  /** Counts a call of a device as soon as it is known whose it is. @throws AppError `rate_limited` */
  countDevice(res: Response, deviceId: string): Promise<void>;
}

/**
 * Credentials (403), address (403), type and origins of the key (403), rates of the network address, of bytes and of the application (429), then the body
 * (413, 415, 400). A beacon has its credentials in its body, so that is read first; whatever is wrong with it, before they
 * have proved right, is answered as missing credentials are.
 */
export function createSdkGuard(doorkeeper: Authorizer<SdkRate>): SdkGuard {
  const at = { ...doorkeeper, ...DOOR };
  const comeIn = async (req: Request, res: Response, credentials: Credentials): Promise<void> => {
    const headers: string[] = [];
    const refusal = await authorize({ req, res, headers }, at, credentials);
    setHeaders(res, headers);
    if (refusal !== null) throw refusal;
  };
  return {
    async authorize(req, res, next) {
      await comeIn(req, res, credentialsOf(req));
      // What a body has is dropped.
      settleBody(res, 0, 0);
      next();
    },
    async authorizeWithBody(req, res, next) {
      if (namesCredentials(req)) {
        await comeIn(req, res, credentialsOf(req));
        // The caller went, and nothing more of the body will arrive.
        if (res.closed) return settleBody(res, 0, 0);
        req.body = await readJson(req, (size, read) => settleBody(res, size, read));
      } else {
        let bytes = 0;
        const beacon: Beacon | null = await openBeacon(req, (size) => void (bytes = size));
        await comeIn(req, res, { applicationId: beacon?.applicationId, key: beacon?.apiKey });
        settleBody(res, bytes, bytes);
        req.body = beacon?.body;
      }
      next();
    },
    async countDevice(res, deviceId) {
      const bucket = doorkeeper.rates.bucketOf('sdkDevice', grantOf(res), deviceId);
      if (bucket === undefined) return;
      const isTaken = await bucket.take();
      const buckets = selectBuckets(res.req, grantOf(res), at);
      const headers: string[] = [];
      if (isTaken) {
        addTightestRateHeaders({ headers }, buckets, bucket);
        setHeaders(res, headers);
        return;
      }
      // What one device sends too much costs the others nothing.
      buckets.requests?.refund();
      const retryAfterSeconds = addRateHeaders({ headers }, bucket);
      setHeaders(res, headers);
      throw rateLimitedError(
        'sdkDevice',
        'This device sends more requests than its rate allows.',
        retryAfterSeconds,
      );
    },
  };
}

/** So that a page can read every answer below `/sdk/v1`, 404 and 405 included; a preflight is read by the browser alone. */
export const addCorsHeaders: RequestHandler = (req, res, next) => {
  if (req.method !== 'OPTIONS' && req.headers.origin !== undefined)
    setHeaders(res, READABLE_BY_PAGES);
  next();
};

function namesCredentials({ headers }: Request): boolean {
  return headers['x-application-id'] !== undefined || headers['x-api-key'] !== undefined;
}

function setHeaders(res: Response, headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2)
    res.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}
