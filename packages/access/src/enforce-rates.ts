import type { KeyGrant } from '@tidings/accounts/api-keys';
import type { RateName } from '@tidings/contracts';
import { AppError, Counter, requestValue } from '@tidings/platform';
import type { RateLevel, RateMeter, RateState } from '@tidings/redis';
import type { IncomingMessage } from 'node:http';
import type { Decision, GuardedEndpoint, Authorizer, RequestContext } from './authorize.ts';
import type { Buckets } from './rates.ts';

const rateLimitedTotal = new Counter({
  name: 'tidings_rate_limited_total',
  help: 'Requests above a rate, by its name in the settings of applications.',
  labelNames: ['path'] as const,
});

/** The rate that pays for the body, until the charge is settled. */
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
 * Counts a request, and tells of the bucket that is nearest to empty. The address comes first, so that what one address
 * sends too much costs the application nothing. Null lets the request in.
 */
export function enforceRates(
  exchange: RequestContext,
  buckets: Buckets,
  bodyBytesMax: number,
): Decision | Promise<Decision> {
  const { countedBy, requests, block, bytes } = buckets;
  if (block?.take() === false)
    return rejectOverRate(exchange, {
      level: block,
      name: countedBy.block,
      detail: 'This network address sends more requests than its rate allows.',
    });
  if (bytes?.hasTokens() === false)
    return rejectOverRate(exchange, {
      level: bytes,
      name: countedBy.bytes,
      detail: 'The application sends more bytes than its rate allows.',
    });
  const taken = requests === undefined || requests.take();
  return taken instanceof Promise
    ? taken.then((isTaken) => afterRequestRate(exchange, buckets, { isTaken, bodyBytesMax }))
    : afterRequestRate(exchange, buckets, { isTaken: taken, bodyBytesMax });
}

function afterRequestRate(
  exchange: RequestContext,
  buckets: Buckets,
  { isTaken, bodyBytesMax }: { readonly isTaken: boolean; readonly bodyBytesMax: number },
): Decision {
  const { countedBy, requests, bytes } = buckets;
  if (!isTaken && requests !== undefined) {
    return rejectOverRate(exchange, {
      level: requests,
      name: countedBy.requests,
      detail: 'The application sends more requests than its rate allows.',
    });
  }
  if (bytes !== undefined) chargeDeclared(exchange, bytes, bodyBytesMax);
  addTightestRateHeaders(exchange, buckets);
  return null;
}

function rejectOverRate(
  exchange: RequestContext,
  {
    level,
    name = 'ingest',
    detail,
  }: { readonly level: RateLevel; readonly name: RateName | undefined; readonly detail: string },
): AppError {
  return rateLimitedError(name, detail, addRateHeaders(exchange, level));
}

/** Tells of the bucket with the smallest share of its tokens left; `more` is one besides. */
export function addTightestRateHeaders(
  exchange: Pick<RequestContext, 'headers'>,
  { requests, block, bytes }: Buckets,
  more?: RateLevel,
): void {
  let nearest = requests?.state();
  nearest = tighterOf(nearest, block);
  nearest = tighterOf(nearest, bytes);
  nearest = tighterOf(nearest, more);
  if (nearest !== undefined) pushRateHeaders(exchange, nearest);
}

/** Asks a bucket for its state only where that could matter, which is rare: `shareAtLeast` costs less. */
function tighterOf(
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

/** One more refusal for coming too often. */
export function rateLimitedError(
  name: RateName,
  detail: string,
  retryAfterSeconds: number,
): AppError {
  rateLimitedTotal.inc({ path: name });
  return new AppError('rate_limited', detail, { retryAfterSeconds });
}

/** The refusal of a caller above the rate of its own, with the headers that tell of it. */
export function callerRateLimitedError(rate: RateLevel, res: RequestContext['res']): AppError {
  rateLimitedTotal.inc({ path: 'api' });
  const headers: string[] = [];
  const retryAfterSeconds = addRateHeaders({ headers }, rate);
  for (let at = 0; at < headers.length; at += 2)
    res.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
  return new AppError('rate_limited', 'This caller sends more requests than its rate allows.', {
    retryAfterSeconds,
  });
}

/** The three headers of every authenticated answer; returns when to come back. */
export function addRateHeaders(
  exchange: Pick<RequestContext, 'headers'>,
  level: RateLevel,
): number {
  return pushRateHeaders(exchange, level.state());
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
 * A body is charged as it is declared before it is read: to send it slowly, or what is refused, is no cheaper. One that is
 * compressed or declares no length may be larger; `settleBody` has the rest when it is known. Two fields, not an object: this
 * runs for each request.
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
 * Settles the charge of a body once, when its reader is done with it: charges what it had beyond what it declared, and
 * gives back what never arrives.
 * @param size what was read of it, decompressed where that is more, or what a refused one counts as
 * @param read the same, but 0 where nothing was read
 */
export function settleBody(res: RequestContext['res'], size: number, read: number): void {
  const bytes = bytesMeter.take(res);
  if (bytes === undefined) return;
  const declared = bytesCharged.of(res);
  bytes.charge(size - declared);
  const charged = Math.max(size, declared);
  if (!res.req.complete && charged > read) refundUnreceived(res.req, bytes, charged - read);
}

/** Until its end a body is charged as a whole, so that a slow sender pays for what is open. */
function refundUnreceived(req: IncomingMessage, bytes: RateMeter, missing: number): void {
  // What is read after the reader is dropped. The socket counts it, as well as a next request, for which nothing is given back.
  const { socket } = req;
  const readBefore = socket.bytesRead;
  const settle = (): void => {
    req.off('close', settle);
    socket.off('close', settle);
    if (!req.complete) bytes.refund(missing - (socket.bytesRead - readBefore));
  };
  if (req.closed || socket.destroyed) return settle();
  req.once('close', settle);
  // Of a request that was answered before its body arrived, the socket alone tells the end.
  socket.once('close', settle);
}
