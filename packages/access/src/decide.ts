import type { KeyType } from '@tidings/contracts';
import type { KeyGrant, RatedPath } from '@tidings/db';
import { AppError, Counter, isAddressAllowed, type Answer, type BodyToRead, type ClientAddressReader } from '@tidings/platform';
import type { RateBucket } from '@tidings/redis';
import type { IncomingMessage } from 'node:http';
import { credentialsOf, findGrant, namedApplicationOf, type Credentials } from './credentials.ts';
import type { KeyCache } from './key-cache.ts';
import type { KeyUses } from './key-uses.ts';
import type { Rates } from './rates.ts';
import type { WrongKeys } from './wrong-keys.ts';

const wrongKeysTotal = new Counter({ name: 'tidings_wrong_keys_total', help: 'Requests with credentials that are not valid.' });
const rateLimitedTotal = new Counter({
  name: 'tidings_rate_limited_total',
  help: 'Requests above the rate of their application, or of their device.',
  labelNames: ['path'] as const,
});

/** What decides about requests; `openAccess` wires the real ones. */
export type Doorkeeper<Path extends RatedPath> = {
  readonly keys: KeyCache;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly wrongKeys: WrongKeys;
  readonly rates: Rates<Path>;
  readonly clientAddressOf: ClientAddressReader;
};

/** Whether there is memory for one more body. */
export interface Room {
  /** Whether there is some at once. */
  hasRoom(req: IncomingMessage, body: BodyToRead): boolean;
  /** Null: the request has its room, taken in the same turn in which there was some. */
  enter(req: IncomingMessage, res: Answer, body: BodyToRead): null | AppError | Promise<AppError | null>;
}

export type Door<Path extends RatedPath> = {
  readonly path: Path;
  readonly bodyBytesMax: number;
  /** The type of key that the address needs; absent: any. */
  readonly required?: KeyType;
  /** Absent: any number of bodies. */
  readonly admission?: Room;
};

/** `headers` gathers what every answer to this request will have. */
export type Exchange = { readonly req: IncomingMessage; readonly res: Answer; readonly headers: string[] };

/** Null lets the request in. */
export type Decision = AppError | null;

/**
 * Who may come in, decided in this order: credentials (403), address (403), what the key may call (403), room (503),
 * rate (429). Every request comes this way, and nothing costs as much as those who come far too often, so nothing is made
 * for a request before it is let in: no promise where memory has the answers, nothing thrown.
 */
export function decide<Path extends RatedPath>(
  exchange: Exchange,
  at: Doorkeeper<Path> & Door<Path>,
  credentials: Credentials = credentialsOf(exchange.req),
): Decision | Promise<Decision> {
  const decideFor = (grant: KeyGrant | null): Decision | Promise<Decision> => (grant === null ? refuse(exchange, at, credentials) : admit(grant, exchange, at));
  const grant = findGrant(at.keys, credentials);
  return grant instanceof Promise ? grant.then(decideFor) : decideFor(grant);
}

function admit<Path extends RatedPath>(grant: KeyGrant, exchange: Exchange, at: Doorkeeper<Path> & Door<Path>): Decision | Promise<Decision> {
  const { req, res } = exchange;
  // From here on the caller is known, whatever else he is refused for.
  res.locals['grant'] = grant;
  at.keyUses.note(grant.keyId);
  const bucket = at.rates.bucketOf(at.path, grant);
  const refusal = refusalOf(req, grant, at);
  if (refusal !== null) return tellRefusal(exchange, bucket, refusal);
  const room = at.admission;
  const body = { applicationId: grant.applicationId, bytesMax: at.bodyBytesMax };
  if (room === undefined || room.hasRoom(req, body)) return keepRate(exchange, at, { bucket, body });
  const goOn = (noRoom: AppError | null): Decision | Promise<Decision> => (noRoom === null ? keepRate(exchange, at, { bucket, body }) : tellRefusal(exchange, bucket, noRoom));
  const entered = room.enter(req, res, body);
  return entered instanceof Promise ? entered.then(goOn) : goOn(entered);
}

function tellRefusal(exchange: Exchange, bucket: RateBucket | undefined, refusal: AppError): AppError {
  if (bucket !== undefined) tellRate(exchange, bucket);
  return refusal;
}

function keepRate<Path extends RatedPath>(
  exchange: Exchange,
  { admission, path }: Pick<Door<Path>, 'admission' | 'path'>,
  { bucket, body }: { readonly bucket: RateBucket | undefined; readonly body: BodyToRead },
): Decision | Promise<Decision> {
  const taken = bucket === undefined || bucket.take();
  // Who waits for the shared bucket has his room meanwhile; who comes too often takes none.
  if (taken !== false) void admission?.enter(exchange.req, exchange.res, body);
  if (bucket === undefined) return null;
  const tell = (isTaken: boolean): Decision => {
    const retryAfterSeconds = tellRate(exchange, bucket);
    return isTaken ? null : rateLimited(path, 'The application sends more requests than its rate allows.', retryAfterSeconds);
  };
  return taken instanceof Promise ? taken.then(tell) : tell(taken);
}

/** One more refusal for coming too often. */
export function rateLimited(path: RatedPath, detail: string, retryAfterSeconds: number): AppError {
  rateLimitedTotal.inc({ path });
  return new AppError('rate_limited', detail, { retryAfterSeconds });
}

/** Whatever is wrong with the credentials, the answer is one. Whoever guesses waits for it. @param applicationId as the request names it */
export function refuseCredentials(
  { req, res }: Pick<Exchange, 'req' | 'res'>,
  { wrongKeys, clientAddressOf }: Pick<Doorkeeper<never>, 'wrongKeys' | 'clientAddressOf'>,
  { applicationId, detail }: { readonly applicationId: string | null; readonly detail: string },
): AppError | Promise<AppError> {
  wrongKeysTotal.inc();
  const refusal = new AppError('forbidden', detail);
  const wait = wrongKeys.note({ address: clientAddressOf(req), applicationId }, res);
  return wait === null ? refusal : wait.then(() => refusal);
}

function refuse(exchange: Exchange, at: Pick<Doorkeeper<never>, 'wrongKeys' | 'clientAddressOf'>, credentials: Credentials): Decision | Promise<Decision> {
  return refuseCredentials(exchange, at, { applicationId: namedApplicationOf(credentials), detail: 'Check X-Application-Id and X-API-Key.' });
}

/** Said only to whoever has a valid key. */
function refusalOf(
  req: IncomingMessage,
  grant: KeyGrant,
  { required, clientAddressOf }: { readonly required?: KeyType; readonly clientAddressOf: ClientAddressReader },
): Decision {
  if (!isAddressAllowed(grant, () => clientAddressOf(req))) {
    return new AppError('ip_not_allowed', 'Requests of this application may not come from this address.');
  }
  if (required === 'server' && grant.type !== required) return new AppError('client_key_forbidden', 'This address needs a Server key.');
  if (required === 'client' && grant.type !== required) return new AppError('forbidden', 'This address needs a Client key: a Server key is for servers only.');
  const { origin } = req.headers;
  // Applications on phones send no Origin; a page cannot leave it out.
  if (grant.type === 'client' && grant.allowedOrigins.length > 0 && origin !== undefined && !grant.allowedOrigins.includes(origin)) {
    return new AppError('client_key_forbidden', 'This Client key may not be used by pages of this origin.');
  }
  return null;
}

/** The three headers of every authenticated answer; returns when to come back. */
export function tellRate({ headers }: { readonly headers: string[] }, bucket: RateBucket): number {
  const { limit, remaining, resetSeconds, retryAfterSeconds } = bucket.state();
  headers.push('RateLimit-Limit', String(limit), 'RateLimit-Remaining', String(remaining), 'RateLimit-Reset', String(resetSeconds));
  return retryAfterSeconds;
}
