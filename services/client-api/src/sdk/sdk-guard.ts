import {
  selectBuckets,
  readCredentials,
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
import { LIMITS } from '@tidings/contracts/limits';
import type { Request, RequestHandler, Response } from 'express';
import { openBeacon, readJson, type Beacon } from './read-json.ts';

/**
 * Rate limits of `/sdk/v1`: requests per application, per network address and per device, and body
 * bytes.
 */
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

/** Authorization for every route of `/sdk/v1`. */
export interface SdkGuard {
  /** For requests without a body. */
  readonly authorize: RequestHandler;
  /** For requests with a body. Sets `req.body` to the parsed body, wherever the key was sent. */
  readonly authorizeWithBody: RequestHandler;
  /**
   * Counts a request against the device's rate limit. Call it once the device id is known. @throws
   * AppError `rate_limited`
   */
  countDevice(res: Response, deviceId: string): Promise<void>;
}

/**
 * Checks, in this order: credentials (403), allow-list (403), key type and origin (403), rate
 * limits of the address, the body bytes and the application (429), then the body (413, 415, 400). A
 * beacon has its credentials in the body, so its body is read first. Until they are verified, every
 * fault of a beacon is reported as missing credentials.
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
      await comeIn(req, res, readCredentials(req));
      // Ignores a body.
      settleBody(res, 0, 0);
      next();
    },
    async authorizeWithBody(req, res, next) {
      if (namesCredentials(req)) {
        await comeIn(req, res, readCredentials(req));
        // The caller disconnected: the rest of the body will not arrive.
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
      // A rejected request of one device does not count against the application.
      buckets.requests?.refund();
      const retryAfterSeconds = addRateHeaders({ headers }, bucket);
      setHeaders(res, headers);
      throw rateLimitedError(
        'sdkDevice',
        'This device exceeded its rate limit.',
        retryAfterSeconds,
      );
    },
  };
}

/**
 * Lets pages read every response of `/sdk/v1`, including 404 and 405. Preflight responses need no
 * such headers.
 */
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
