import type { KeyGrant } from '@tidings/accounts/api-keys';
import type { RateName } from '@tidings/contracts/limits';
import type { RateLevel, RateMeter, RateState } from '@tidings/coordination';
import { requestValue } from '@tidings/http/request-value';
import { AppError, Counter, itemAt } from '@tidings/platform';
import type { IncomingMessage } from 'node:http';
import type { Authorizer, Decision, GuardedEndpoint, RequestContext } from './authorizer.ts';
import type { Buckets } from './rates.ts';

const rateLimitedTotal = new Counter({
  name: 'tidings_rate_limited_total',
  help: 'Requests rejected because a rate was exceeded, by the name of the rate in the application settings.',
  labelNames: ['path'] as const,
});

/** The byte rate that a request was charged to, until `settleBody` settles the charge. */
const bytesMeter = requestValue<RateMeter>('bytesMeter');
const bytesCharged = requestValue<number>('bytesCharged');

export function selectBuckets<Name extends RateName>(
  req: IncomingMessage,
  grant: KeyGrant,
  {
    rates,
    callerBlocks,
    countedBy: byType,
  }: Authorizer<Name> & Pick<GuardedEndpoint<Name>, 'countedBy'>,
): Buckets {
  const countedBy = byType[grant.type];
  const buckets = rates.bucketsOf(countedBy, grant);
  const block = countedBy.block === undefined ? null : callerBlocks.blockOf(req);
  if (countedBy.block === undefined || block === null) return buckets;
  const { requests, bytes } = buckets;
  return { countedBy, requests, block: rates.blockBucketOf(countedBy.block, grant, block), bytes };
}

/**
 * Counts a request against its rates and adds the rate-limit headers. Null admits the request.
 * The address rate is checked first: an address over its limit takes no tokens from the
 * application.
 */
export function enforceRates(
  context: RequestContext,
  buckets: Buckets,
  bodyBytesMax: number,
): Decision | Promise<Decision> {
  const { countedBy, requests, block, bytes } = buckets;
  if (block?.take() === false)
    return rejectOverRate(context, {
      level: block,
      name: countedBy.block,
      detail: 'This network address exceeded its request rate.',
    });
  if (bytes?.hasTokens() === false)
    return rejectOverRate(context, {
      level: bytes,
      name: countedBy.bytes,
      detail: 'The application exceeded its byte rate.',
    });
  const taken = requests === undefined || requests.take();
  return taken instanceof Promise
    ? taken.then((isTaken) => afterRequestRate(context, buckets, { isTaken, bodyBytesMax }))
    : afterRequestRate(context, buckets, { isTaken: taken, bodyBytesMax });
}

function afterRequestRate(
  context: RequestContext,
  buckets: Buckets,
  { isTaken, bodyBytesMax }: { readonly isTaken: boolean; readonly bodyBytesMax: number },
): Decision {
  const { countedBy, requests, bytes } = buckets;
  if (!isTaken && requests !== undefined) {
    return rejectOverRate(context, {
      level: requests,
      name: countedBy.requests,
      detail: 'The application exceeded its request rate.',
    });
  }
  if (bytes !== undefined) chargeDeclared(context, bytes, bodyBytesMax);
  addTightestRateHeaders(context, buckets);
  return null;
}

function rejectOverRate(
  context: RequestContext,
  {
    level,
    name = 'ingest',
    detail,
  }: { readonly level: RateLevel; readonly name: RateName | undefined; readonly detail: string },
): AppError {
  return rateLimitedError(name, detail, addRateHeaders(context, level));
}

/**
 * Adds the rate-limit headers of the bucket with the smallest share of tokens left. `more` is one
 * further bucket.
 */
export function addTightestRateHeaders(
  context: Pick<RequestContext, 'headers'>,
  { requests, block, bytes }: Buckets,
  more?: RateLevel,
): void {
  let nearest = requests?.state();
  nearest = chooseTighter(nearest, block);
  nearest = chooseTighter(nearest, bytes);
  nearest = chooseTighter(nearest, more);
  if (nearest !== undefined) pushRateHeaders(context, nearest);
}

/** Reads the full state only if this bucket may be the tighter one: `shareAtLeast` costs less. */
function chooseTighter(
  nearest: RateState | undefined,
  level: RateLevel | undefined,
): RateState | undefined {
  if (level === undefined) return nearest;
  if (nearest === undefined) return level.state();
  const share = nearest.remaining / nearest.limit;
  if (level.shareAtLeast() >= share) return nearest;
  const state = level.state();
  return state.remaining / state.limit < share ? state : nearest;
}

/** The 429 of a request above the rate `name`. Counts it in the metric. */
export function rateLimitedError(
  name: RateName,
  detail: string,
  retryAfterSeconds: number,
): AppError {
  rateLimitedTotal.inc({ path: name });
  return new AppError('rate_limited', detail, { retryAfterSeconds });
}

/** The rates of a caller itself: of all its requests, and of its questions about users. */
const CALLER_RATES = {
  api: 'This caller exceeded its request rate.',
  questions:
    'You asked many questions about users in a short time. Wait a few seconds, then try again.',
} as const;

/** The 429 of a caller above its own rate. Sets the rate-limit headers on the response. */
export function callerRateLimitedError(
  rate: RateLevel,
  res: RequestContext['res'],
  path: keyof typeof CALLER_RATES = 'api',
): AppError {
  rateLimitedTotal.inc({ path });
  const headers: string[] = [];
  const retryAfterSeconds = addRateHeaders({ headers }, rate);
  for (let at = 0; at < headers.length; at += 2)
    res.setHeader(itemAt(headers, at), itemAt(headers, at + 1));
  return new AppError('rate_limited', CALLER_RATES[path], { retryAfterSeconds });
}

/**
 * Adds the three rate-limit headers of an authenticated response. Returns the seconds to wait
 * before a retry.
 */
export function addRateHeaders(context: Pick<RequestContext, 'headers'>, level: RateLevel): number {
  return pushRateHeaders(context, level.state());
}

function pushRateHeaders(
  { headers }: Pick<RequestContext, 'headers'>,
  { limit, remaining, resetSeconds, retryAfterSeconds }: RateState,
): number {
  headers.push(
    'RateLimit-Limit',
    String(limit),
    'RateLimit-Remaining',
    String(remaining),
    'RateLimit-Reset',
    String(resetSeconds),
  );
  return retryAfterSeconds;
}

/**
 * Charges a body by its declared length before it is read: a slow or rejected upload costs the
 * same.
 * A compressed body, or one without a declared length, may be larger: `settleBody` charges the
 * rest.
 * Two request values instead of one object: this runs for every request.
 */
function chargeDeclared(
  { req: { headers }, res }: RequestContext,
  bytes: RateMeter,
  bodyBytesMax: number,
): void {
  const length = Number(headers['content-length'] ?? 0);
  const amount = Number.isSafeInteger(length) ? Math.min(length, bodyBytesMax) : 0;
  bytes.charge(amount);
  bytesMeter.set(res, bytes);
  bytesCharged.set(res, amount);
}

/**
 * Settles the charge of a body once, after it was read or rejected: charges the bytes beyond the
 * declared length and refunds the bytes that never arrive.
 * @param size bytes read, or decompressed if that is more; for a rejected body the charged size
 * @param read the same, but 0 if nothing was read
 */
export function settleBody(res: RequestContext['res'], size: number, read: number): void {
  const bytes = bytesMeter.take(res);
  if (bytes === undefined) return;
  const declared = bytesCharged.of(res);
  bytes.charge(size - declared);
  const charged = Math.max(size, declared);
  if (!res.req.complete && charged > read) refundUnreceived(res.req, bytes, charged - read);
}

/**
 * Refunds missing bytes only when the request has ended, so a slow sender pays for its open body.
 */
function refundUnreceived(req: IncomingMessage, bytes: RateMeter, missing: number): void {
  // The socket counts bytes that arrive after the reader stopped. It also counts the next request
  // on the connection, whose bytes are not refunded.
  const { socket } = req;
  const readBefore = socket.bytesRead;
  const settle = (): void => {
    req.off('close', settle);
    socket.off('close', settle);
    if (!req.complete) bytes.refund(missing - (socket.bytesRead - readBefore));
  };
  if (req.closed || socket.destroyed) return settle();
  req.once('close', settle);
  // If the response was sent before the body arrived, only the socket signals the end.
  socket.once('close', settle);
}
