import type { KeyGrant } from '@tidings/accounts/api-keys';
import type { KeyType, RateName } from '@tidings/contracts';
import {
  AppError,
  Counter,
  isAddressAllowed,
  type Answer,
  type BodyToRead,
  type ClientAddressReader,
} from '@tidings/platform';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallerBlocks } from './caller-blocks.ts';
import { selectBuckets, enforceRates, addTightestRateHeaders } from './enforce-rates.ts';
import {
  credentialsOf,
  findGrant,
  namedApplicationOf,
  noteGrant,
  type Credentials,
} from './credentials.ts';
import type { KeyCache } from './key-cache.ts';
import type { KeyUses } from './key-uses.ts';
import type { Buckets, RateNames, Rates } from './rates.ts';
import type { FailedAttempt, WrongKeys } from './wrong-keys.ts';

const wrongKeysTotal = new Counter({
  name: 'tidings_wrong_keys_total',
  help: 'Requests with credentials that are not valid.',
});
/** What decides about requests; `openAccess` wires the real ones. */
export type Authorizer<Name extends RateName> = {
  readonly keys: KeyCache;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly wrongKeys: WrongKeys;
  readonly rates: Rates<Name>;
  readonly clientAddressOf: ClientAddressReader;
  readonly callerBlocks: CallerBlocks;
};

/** Whether there is memory for one more body. */
export interface BodyAdmission {
  /** Whether there is some at once. */
  canAdmit(req: IncomingMessage, body: BodyToRead): boolean;
  /** Null: the request has its room, taken in the same turn in which there was some. */
  admit(
    req: IncomingMessage,
    res: Answer,
    body: BodyToRead,
  ): null | AppError | Promise<AppError | null>;
}

export type GuardedEndpoint<Name extends RateName> = {
  /** How requests are counted, by the type of their key. */
  readonly countedBy: Readonly<Record<KeyType, RateNames<Name>>>;
  readonly bodyBytesMax: number;
  /** The type of key that the address needs; absent: any. */
  readonly required?: KeyType;
  /** Absent: any number of bodies. */
  readonly admission?: BodyAdmission;
};

/** `headers` gathers what every answer to this request will have. */
export type RequestContext = {
  readonly req: IncomingMessage;
  readonly res: Answer;
  readonly headers: string[];
};

/** Null lets the request in. */
export type Decision = AppError | null;

/**
 * Who may come in, decided in this order: credentials (403), address (403), what the key may call (403), room (503),
 * rate (429). Every request comes this way, and nothing costs as much as those who come far too often, so nothing is made
 * for a request before it is let in: no promise where memory has the answers, nothing thrown.
 */
export function authorize<Name extends RateName>(
  exchange: RequestContext,
  at: Authorizer<Name> & GuardedEndpoint<Name>,
  credentials: Credentials = credentialsOf(exchange.req),
): Decision | Promise<Decision> {
  const decideFor = (grant: KeyGrant | null): Decision | Promise<Decision> =>
    grant === null
      ? rejectRequestCredentials(exchange, at, credentials)
      : authorizeGrant(grant, exchange, at);
  const grant = findGrant(at.keys, credentials);
  return grant instanceof Promise ? grant.then(decideFor) : decideFor(grant);
}

function authorizeGrant<Name extends RateName>(
  grant: KeyGrant,
  exchange: RequestContext,
  at: Authorizer<Name> & GuardedEndpoint<Name>,
): Decision | Promise<Decision> {
  const { req, res } = exchange;
  // From here on the caller is known, whatever else he is refused for.
  noteGrant(res, grant);
  at.keyUses.note(grant.keyId);
  const buckets = selectBuckets(req, grant, at);
  const refusal = findRejection(req, grant, at);
  if (refusal !== null) return withRateHeaders(exchange, buckets, refusal);
  const room = at.admission;
  const body = {
    applicationId: grant.applicationId,
    keyType: grant.type,
    bytesMax: at.bodyBytesMax,
  };
  if (room === undefined || room.canAdmit(req, body))
    return applyRates(exchange, at, { buckets, body });
  const goOn = (noRoom: AppError | null): Decision | Promise<Decision> =>
    noRoom === null
      ? applyRates(exchange, at, { buckets, body })
      : withRateHeaders(exchange, buckets, noRoom);
  const entered = room.admit(req, res, body);
  return entered instanceof Promise ? entered.then(goOn) : goOn(entered);
}

function withRateHeaders(exchange: RequestContext, buckets: Buckets, refusal: AppError): AppError {
  addTightestRateHeaders(exchange, buckets);
  return refusal;
}

function applyRates<Name extends RateName>(
  exchange: RequestContext,
  { admission }: Pick<GuardedEndpoint<Name>, 'admission'>,
  { buckets, body }: { readonly buckets: Buckets; readonly body: BodyToRead },
): Decision | Promise<Decision> {
  const taken = enforceRates(exchange, buckets, body.bytesMax);
  // A request that waits for the shared bucket has its room meanwhile; one above its rate takes none.
  if (taken === null || taken instanceof Promise)
    void admission?.admit(exchange.req, exchange.res, body);
  return taken;
}

/** Whatever is wrong with the credentials, the answer is one. Whoever guesses waits for it. @param applicationId as the request names it */
export function rejectCredentials(
  { req, res }: Pick<RequestContext, 'req' | 'res'>,
  { wrongKeys, clientAddressOf }: Pick<Authorizer<never>, 'wrongKeys' | 'clientAddressOf'>,
  { applicationId, detail }: { readonly applicationId: string | null; readonly detail: string },
): AppError | Promise<AppError> {
  const refusal = new AppError('forbidden', detail);
  const wait = noteWrongKey(wrongKeys, { address: clientAddressOf(req), applicationId }, res);
  return wait === null ? refusal : wait.then(() => refusal);
}

/** Counts wrong credentials. A promise to wait for before the answer, or null when it need not wait. */
export function noteWrongKey(
  wrongKeys: WrongKeys,
  guess: FailedAttempt,
  res: ServerResponse,
): Promise<void> | null {
  wrongKeysTotal.inc();
  return wrongKeys.note(guess, res);
}

function rejectRequestCredentials(
  exchange: RequestContext,
  at: Pick<Authorizer<never>, 'wrongKeys' | 'clientAddressOf'>,
  credentials: Credentials,
): Decision | Promise<Decision> {
  return rejectCredentials(exchange, at, {
    applicationId: namedApplicationOf(credentials),
    detail: 'Check X-Application-Id and X-API-Key.',
  });
}

/** Said only to whoever has a valid key. */
function findRejection(
  req: IncomingMessage,
  grant: KeyGrant,
  {
    required,
    clientAddressOf,
  }: { readonly required?: KeyType; readonly clientAddressOf: ClientAddressReader },
): Decision {
  if (!isAddressAllowed(grant, () => clientAddressOf(req))) {
    return new AppError(
      'ip_not_allowed',
      'Requests of this application may not come from this address.',
    );
  }
  if (required === 'server' && grant.type !== required)
    return new AppError('client_key_forbidden', 'This address needs a Server key.');
  if (required === 'client' && grant.type !== required)
    return new AppError(
      'forbidden',
      'This address needs a Client key: a Server key is for servers only.',
    );
  const { origin } = req.headers;
  // Applications on phones send no Origin; a page cannot leave it out.
  if (
    grant.type === 'client' &&
    grant.allowedOrigins.length > 0 &&
    origin !== undefined &&
    !grant.allowedOrigins.includes(origin)
  ) {
    return new AppError(
      'client_key_forbidden',
      'This Client key may not be used by pages of this origin.',
    );
  }
  return null;
}
