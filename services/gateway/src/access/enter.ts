import type { KeyType } from '@tidings/contracts';
import type { KeyGrant, RatedPath } from '@tidings/db';
import { AppError, Counter, clientAddressOf, isAddressAllowed } from '@tidings/platform';
import type { RateBucket } from '@tidings/redis';
import type { Request, RequestHandler, Response } from 'express';
import { findGrant, namedApplicationOf } from '../auth/authenticate.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { startSpending } from '../spent-time.ts';
import { letPagesRead } from './cors.ts';

const wrongKeysTotal = new Counter({ name: 'tidings_gateway_wrong_keys_total', help: 'Requests with credentials that are not valid.' });
const rateLimitedTotal = new Counter({
  name: 'tidings_gateway_rate_limited_total',
  help: 'Requests above the rate of their application.',
  labelNames: ['path'] as const,
});

export type Entrance = {
  readonly path: RatedPath;
  readonly bodyBytesMax: number;
  /** The type of key that the address needs; absent: any. */
  readonly required?: KeyType;
  /** Whether pages of browsers may call. */
  readonly isOpenToPages?: boolean;
};

type EntranceDependencies = Pick<GatewayDependencies, 'keys' | 'keyUses' | 'wrongKeys' | 'admission' | 'rates' | 'clock' | 'lag'>;
type Exchange = { readonly req: Request; readonly res: Response; readonly next: () => void };

/**
 * All that is decided before a body is read, in this order: credentials (403), address (403), what the key may call (403),
 * room (503), rate (429). One handler, and without a promise where memory has the answers: every request comes this way.
 */
export function enter(deps: EntranceDependencies, entrance: Entrance): RequestHandler {
  const at = { ...deps, ...entrance };
  const decide = (grant: KeyGrant | null, exchange: Exchange): void | Promise<void> =>
    grant === null ? refuse(at, exchange) : admit(grant, exchange, at);
  return (req, res, goOn) => {
    const noteSpent = startSpending(at);
    const next = (): void => {
      noteSpent(res);
      goOn();
    };
    if (at.isOpenToPages === true && req.headers.origin !== undefined) letPagesRead(res);
    const grant = findGrant(at.keys, req);
    if (grant instanceof Promise) return grant.then((found) => decide(found, { req, res, next }));
    return decide(grant, { req, res, next });
  };
}

function admit(grant: KeyGrant, { req, res, next }: Exchange, at: EntranceDependencies & Entrance): void | Promise<void> {
  // From here on the caller is known, whatever else he is refused for.
  res.locals['grant'] = grant;
  at.keyUses.note(grant.keyId);
  const bucket = at.rates.bucketOf(at.path, grant);
  const refusal = refusalOf(req, grant, at);
  const noRoom = refusal === null ? at.admission.admit(req, res, at.bodyBytesMax) : null;
  if (refusal !== null || noRoom !== null) {
    if (bucket !== undefined) tellRate(res, bucket);
    if (noRoom === null) throw refusal;
    return at.admission.holdBack().then(() => {
      throw noRoom;
    });
  }
  if (bucket === undefined) return next();
  const taken = bucket.take();
  const finish = (isTaken: boolean): void => {
    const retryAfterSeconds = tellRate(res, bucket);
    if (isTaken) return next();
    rateLimitedTotal.inc({ path: at.path });
    throw new AppError('rate_limited', 'The application sends more requests than its rate allows.', { retryAfterSeconds });
  };
  return taken instanceof Promise ? taken.then(finish) : finish(taken);
}

/** Whatever is wrong with the credentials, the answer is this one. Whoever guesses waits for it. */
function refuse({ wrongKeys }: EntranceDependencies, { req, res }: Exchange): Promise<void> {
  wrongKeysTotal.inc();
  const refusal = new AppError('forbidden', 'Check X-Application-Id and X-API-Key.');
  const wait = wrongKeys.note({ address: clientAddressOf(req), applicationId: namedApplicationOf(req) }, res);
  if (wait === null) throw refusal;
  return wait.then(() => {
    throw refusal;
  });
}

/** Said only to whoever has a valid key. */
function refusalOf(req: Request, grant: KeyGrant, { required }: Entrance): AppError | null {
  if (!isAddressAllowed(grant, () => clientAddressOf(req))) {
    return new AppError('ip_not_allowed', 'Requests of this application may not come from this address.');
  }
  if (required !== undefined && grant.type !== required) return new AppError('client_key_forbidden', 'This address needs a Server key.');
  const { origin } = req.headers;
  // Applications on phones send no Origin; a page cannot leave it out.
  if (grant.type === 'client' && grant.allowedOrigins.length > 0 && origin !== undefined && !grant.allowedOrigins.includes(origin)) {
    return new AppError('client_key_forbidden', 'This Client key may not be used by pages of this origin.');
  }
  return null;
}

/** The three headers of every authenticated answer; returns when to come back. */
function tellRate(res: Response, bucket: RateBucket): number {
  const { limit, remaining, resetSeconds, retryAfterSeconds } = bucket.state();
  res.setHeader('RateLimit-Limit', limit);
  res.setHeader('RateLimit-Remaining', remaining);
  res.setHeader('RateLimit-Reset', resetSeconds);
  return retryAfterSeconds;
}
