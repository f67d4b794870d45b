import type { KeyType } from '@tidings/contracts';
import type { KeyGrant, RatedPath } from '@tidings/db';
import { AppError, Counter, isAddressAllowed, type Answer, type ClientAddressReader, type ErrorAnswer } from '@tidings/platform';
import type { RateBucket } from '@tidings/redis';
import type { IncomingMessage } from 'node:http';
import { findGrant, namedApplicationOf } from '../auth/authenticate.ts';
import type { GatewayDependencies } from '../dependencies.ts';
import { countAnswer } from '../request-metrics.ts';
import { startSpending } from '../spent-time.ts';
import { READABLE_BY_PAGES } from './cors.ts';

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

type EntranceDependencies = Pick<GatewayDependencies, 'keys' | 'keyUses' | 'wrongKeys' | 'admission' | 'rates' | 'clock' | 'lag'> & {
  readonly clientAddressOf: ClientAddressReader;
  readonly answerError: ErrorAnswer;
};
/** `headers` gathers what every answer to this request will have. */
type Exchange = { readonly req: IncomingMessage; readonly res: Answer; readonly headers: string[] };
type Decision = AppError | null;

/** Answers a request that is refused, lets any other go on. Whoever has come in once is let through. */
export type Enter = (req: IncomingMessage, res: Answer, goOn: () => void) => void;

/**
 * All that is decided before a body is read, in this order: credentials (403), address (403), what the key may call (403),
 * room (503), rate (429). Every request comes this way, and nothing costs as much as those who come far too often, so
 * nothing is made for a request before it is let in: no promise where memory has the answers, nothing thrown.
 */
export function createEntrance(deps: EntranceDependencies, entrance: Entrance): Enter {
  const at = { ...deps, ...entrance };
  return (req, res, goOn) => {
    if (res.locals['enteredBy'] === at.path) return goOn();
    countAnswer(at.path, res);
    const noteSpent = startSpending(at);
    const exchange: Exchange = { req, res, headers: at.isOpenToPages === true && req.headers.origin !== undefined ? [...READABLE_BY_PAGES] : [] };
    const finish = (refusal: Decision): void => {
      // Nobody is there any more, and nothing of the body will come.
      if (res.closed) return;
      if (refusal !== null) return at.answerError(refusal, exchange);
      setHeaders(exchange);
      noteSpent(res);
      res.locals['enteredBy'] = at.path;
      goOn();
    };
    const fail = (error: unknown): void => at.answerError(error, exchange);
    // Express would catch what is thrown, but it may not be there yet.
    let decision: Decision | Promise<Decision>;
    try {
      decision = decide(exchange, at);
    } catch (error) {
      return fail(error);
    }
    if (decision === null || decision instanceof AppError) finish(decision);
    else decision.then(finish, fail);
  };
}

function decide(exchange: Exchange, at: EntranceDependencies & Entrance): Decision | Promise<Decision> {
  const decideFor = (grant: KeyGrant | null): Decision | Promise<Decision> => (grant === null ? refuse(exchange, at) : admit(grant, exchange, at));
  const grant = findGrant(at.keys, exchange.req);
  return grant instanceof Promise ? grant.then(decideFor) : decideFor(grant);
}

function admit(grant: KeyGrant, exchange: Exchange, at: EntranceDependencies & Entrance): Decision | Promise<Decision> {
  const { req, res } = exchange;
  // From here on the caller is known, whatever else he is refused for.
  res.locals['grant'] = grant;
  at.keyUses.note(grant.keyId);
  const bucket = at.rates.bucketOf(at.path, grant);
  const refusal = refusalOf(req, grant, at);
  const noRoom = refusal === null ? at.admission.refusalOf(req, at.bodyBytesMax) : null;
  if (refusal !== null || noRoom !== null) {
    if (bucket !== undefined) tellRate(exchange, bucket);
    return noRoom === null ? refusal : at.admission.holdBack().then(() => noRoom);
  }
  const taken = bucket === undefined || bucket.take();
  // Who waits for the shared bucket has his room meanwhile.
  if (taken !== false) at.admission.admit(req, res, at.bodyBytesMax);
  if (bucket === undefined) return null;
  const tell = (isTaken: boolean): Decision => {
    const retryAfterSeconds = tellRate(exchange, bucket);
    if (isTaken) return null;
    rateLimitedTotal.inc({ path: at.path });
    return new AppError('rate_limited', 'The application sends more requests than its rate allows.', { retryAfterSeconds });
  };
  return taken instanceof Promise ? taken.then(tell) : tell(taken);
}

/** Whatever is wrong with the credentials, the answer is this one. Whoever guesses waits for it. */
function refuse({ req, res }: Exchange, { wrongKeys, clientAddressOf }: EntranceDependencies): Decision | Promise<Decision> {
  wrongKeysTotal.inc();
  const refusal = new AppError('forbidden', 'Check X-Application-Id and X-API-Key.');
  const wait = wrongKeys.note({ address: clientAddressOf(req), applicationId: namedApplicationOf(req) }, res);
  return wait === null ? refusal : wait.then(() => refusal);
}

/** Said only to whoever has a valid key. */
function refusalOf(req: IncomingMessage, grant: KeyGrant, { required, clientAddressOf }: EntranceDependencies & Entrance): Decision {
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
function tellRate({ headers }: Exchange, bucket: RateBucket): number {
  const { limit, remaining, resetSeconds, retryAfterSeconds } = bucket.state();
  headers.push('RateLimit-Limit', String(limit), 'RateLimit-Remaining', String(remaining), 'RateLimit-Reset', String(resetSeconds));
  return retryAfterSeconds;
}

function setHeaders({ res, headers }: Exchange): void {
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}
