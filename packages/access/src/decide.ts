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
import { bucketsOf, takeRate, tellNearest } from './count.ts';
import {
  credentialsOf,
  findGrant,
  namedApplicationOf,
  noteGrant,
  type Credentials,
} from './credentials.ts';
import type { KeyCache } from './key-cache.ts';
import type { KeyUses } from './key-uses.ts';
import type { Buckets, CountedBy, Rates } from './rates.ts';
import type { Guess, WrongKeys } from './wrong-keys.ts';

const wrongKeysTotal = new Counter({
  name: 'tidings_wrong_keys_total',
  help: 'Requests with credentials that are not valid.',
});
/** What decides about requests; `openAccess` wires the real ones. */
export type Doorkeeper<Name extends RateName> = {
  readonly keys: KeyCache;
  readonly keyUses: Pick<KeyUses, 'note'>;
  readonly wrongKeys: WrongKeys;
  readonly rates: Rates<Name>;
  readonly clientAddressOf: ClientAddressReader;
  readonly callerBlocks: CallerBlocks;
};

/** Whether there is memory for one more body. */
export interface Room {
  /** Whether there is some at once. */
  hasRoom(req: IncomingMessage, body: BodyToRead): boolean;
  /** Null: the request has its room, taken in the same turn in which there was some. */
  enter(
    req: IncomingMessage,
    res: Answer,
    body: BodyToRead,
  ): null | AppError | Promise<AppError | null>;
}

export type Door<Name extends RateName> = {
  /** How requests are counted, by the type of their key. */
  readonly countedBy: Readonly<Record<KeyType, CountedBy<Name>>>;
  readonly bodyBytesMax: number;
  /** The type of key that the address needs; absent: any. */
  readonly required?: KeyType;
  /** Absent: any number of bodies. */
  readonly admission?: Room;
};

/** `headers` gathers what every answer to this request will have. */
export type Exchange = {
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
export function decide<Name extends RateName>(
  exchange: Exchange,
  at: Doorkeeper<Name> & Door<Name>,
  credentials: Credentials = credentialsOf(exchange.req),
): Decision | Promise<Decision> {
  const decideFor = (grant: KeyGrant | null): Decision | Promise<Decision> =>
    grant === null ? refuse(exchange, at, credentials) : admit(grant, exchange, at);
  const grant = findGrant(at.keys, credentials);
  return grant instanceof Promise ? grant.then(decideFor) : decideFor(grant);
}

function admit<Name extends RateName>(
  grant: KeyGrant,
  exchange: Exchange,
  at: Doorkeeper<Name> & Door<Name>,
): Decision | Promise<Decision> {
  const { req, res } = exchange;
  // From here on the caller is known, whatever else he is refused for.
  noteGrant(res, grant);
  at.keyUses.note(grant.keyId);
  const buckets = bucketsOf(req, grant, at);
  const refusal = refusalOf(req, grant, at);
  if (refusal !== null) return tellRefusal(exchange, buckets, refusal);
  const room = at.admission;
  const body = {
    applicationId: grant.applicationId,
    keyType: grant.type,
    bytesMax: at.bodyBytesMax,
  };
  if (room === undefined || room.hasRoom(req, body))
    return keepRate(exchange, at, { buckets, body });
  const goOn = (noRoom: AppError | null): Decision | Promise<Decision> =>
    noRoom === null
      ? keepRate(exchange, at, { buckets, body })
      : tellRefusal(exchange, buckets, noRoom);
  const entered = room.enter(req, res, body);
  return entered instanceof Promise ? entered.then(goOn) : goOn(entered);
}

function tellRefusal(exchange: Exchange, buckets: Buckets, refusal: AppError): AppError {
  tellNearest(exchange, buckets);
  return refusal;
}

function keepRate<Name extends RateName>(
  exchange: Exchange,
  { admission }: Pick<Door<Name>, 'admission'>,
  { buckets, body }: { readonly buckets: Buckets; readonly body: BodyToRead },
): Decision | Promise<Decision> {
  const taken = takeRate(exchange, buckets, body.bytesMax);
  // A request that waits for the shared bucket has its room meanwhile; one above its rate takes none.
  if (taken === null || taken instanceof Promise)
    void admission?.enter(exchange.req, exchange.res, body);
  return taken;
}

/** Whatever is wrong with the credentials, the answer is one. Whoever guesses waits for it. @param applicationId as the request names it */
export function refuseCredentials(
  { req, res }: Pick<Exchange, 'req' | 'res'>,
  { wrongKeys, clientAddressOf }: Pick<Doorkeeper<never>, 'wrongKeys' | 'clientAddressOf'>,
  { applicationId, detail }: { readonly applicationId: string | null; readonly detail: string },
): AppError | Promise<AppError> {
  const refusal = new AppError('forbidden', detail);
  const wait = noteWrongKey(wrongKeys, { address: clientAddressOf(req), applicationId }, res);
  return wait === null ? refusal : wait.then(() => refusal);
}

/** Counts wrong credentials. A promise to wait for before the answer, or null when it need not wait. */
export function noteWrongKey(
  wrongKeys: WrongKeys,
  guess: Guess,
  res: ServerResponse,
): Promise<void> | null {
  wrongKeysTotal.inc();
  return wrongKeys.note(guess, res);
}

function refuse(
  exchange: Exchange,
  at: Pick<Doorkeeper<never>, 'wrongKeys' | 'clientAddressOf'>,
  credentials: Credentials,
): Decision | Promise<Decision> {
  return refuseCredentials(exchange, at, {
    applicationId: namedApplicationOf(credentials),
    detail: 'Check X-Application-Id and X-API-Key.',
  });
}

/** Said only to whoever has a valid key. */
function refusalOf(
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
