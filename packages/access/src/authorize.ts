import type { KeyGrant } from '@tidings/accounts/api-keys';
import type { KeyType } from '@tidings/contracts/ingest/records';
import type { RateName } from '@tidings/contracts/limits';
import type { BodyToRead } from '@tidings/http/admission';
import type { ClientAddressReader } from '@tidings/http/client-address';
import { AppError, Counter, isAddressAllowed } from '@tidings/platform';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Authorizer, Decision, GuardedEndpoint, RequestContext } from './authorizer.ts';
import { selectBuckets, enforceRates, addTightestRateHeaders } from './enforce-rates.ts';
import {
  readCredentials,
  findGrant,
  readApplicationId,
  noteGrant,
  type Credentials,
} from './credentials.ts';
import type { Buckets } from './rates.ts';
import type { FailedAttempt, WrongKeys } from './wrong-keys.ts';

const wrongKeysTotal = new Counter({
  name: 'tidings_wrong_keys_total',
  help: 'Requests with invalid credentials.',
});

/**
 * Authorizes a request. Order of the checks: credentials (403), client address (403), key type and
 * origin (403), body admission (503), rates (429).
 * Hot path: clients over their limit dominate its cost. Do not allocate, throw or await before a
 * request is admitted, if the cache can answer.
 */
export function authorize<Name extends RateName>(
  context: RequestContext,
  at: Authorizer<Name> & GuardedEndpoint<Name>,
  credentials: Credentials = readCredentials(context.req),
): Decision | Promise<Decision> {
  const decideFor = (grant: KeyGrant | null): Decision | Promise<Decision> =>
    grant === null
      ? rejectRequestCredentials(context, at, credentials)
      : authorizeGrant(grant, context, at);
  const grant = findGrant(at.keys, credentials);
  return grant instanceof Promise ? grant.then(decideFor) : decideFor(grant);
}

function authorizeGrant<Name extends RateName>(
  grant: KeyGrant,
  context: RequestContext,
  at: Authorizer<Name> & GuardedEndpoint<Name>,
): Decision | Promise<Decision> {
  const { req, res } = context;
  // Note the grant before the checks: the caller is known, also if a later check rejects the
  // request.
  noteGrant(res, grant);
  at.keyUses.note(grant.keyId);
  const buckets = selectBuckets(req, grant, at);
  const rejection = findRejection(req, grant, at);
  if (rejection !== null) return withRateHeaders(context, buckets, rejection);
  const { admission } = at;
  const body = {
    applicationId: grant.applicationId,
    keyType: grant.type,
    bytesMax: at.bodyBytesMax,
  };
  if (admission === undefined || admission.canAdmit(req, body))
    return applyRates(context, at, { buckets, body });
  const afterAdmission = (overload: AppError | null): Decision | Promise<Decision> =>
    overload === null
      ? applyRates(context, at, { buckets, body })
      : withRateHeaders(context, buckets, overload);
  const admitted = admission.admit(req, res, body);
  return admitted instanceof Promise ? admitted.then(afterAdmission) : afterAdmission(admitted);
}

function withRateHeaders(context: RequestContext, buckets: Buckets, rejection: AppError): AppError {
  addTightestRateHeaders(context, buckets);
  return rejection;
}

function applyRates<Name extends RateName>(
  context: RequestContext,
  { admission }: Pick<GuardedEndpoint<Name>, 'admission'>,
  { buckets, body }: { readonly buckets: Buckets; readonly body: BodyToRead },
): Decision | Promise<Decision> {
  const taken = enforceRates(context, buckets, body.bytesMax);
  // A request that waits for the shared bucket reserves its memory meanwhile; one above its rate
  // reserves none.
  if (taken === null || taken instanceof Promise)
    void admission?.admit(context.req, context.res, body);
  return taken;
}

/**
 * The 403 for invalid credentials. It does not say what is wrong. After too many failures the
 * response is delayed.
 * @param applicationId as the request names it
 */
export function rejectCredentials(
  { req, res }: Pick<RequestContext, 'req' | 'res'>,
  { wrongKeys, clientAddressOf }: Pick<Authorizer<never>, 'wrongKeys' | 'clientAddressOf'>,
  { applicationId, detail }: { readonly applicationId: string | null; readonly detail: string },
): AppError | Promise<AppError> {
  const rejection = new AppError('forbidden', detail);
  const wait = noteWrongKey(wrongKeys, { address: clientAddressOf(req), applicationId }, res);
  return wait === null ? rejection : wait.then(() => rejection);
}

/** Counts invalid credentials. Returns the delay to await before the response, or null for none. */
export function noteWrongKey(
  wrongKeys: WrongKeys,
  guess: FailedAttempt,
  res: ServerResponse,
): Promise<void> | null {
  wrongKeysTotal.inc();
  return wrongKeys.note(guess, res);
}

function rejectRequestCredentials(
  context: RequestContext,
  at: Pick<Authorizer<never>, 'wrongKeys' | 'clientAddressOf'>,
  credentials: Credentials,
): Decision | Promise<Decision> {
  return rejectCredentials(context, at, {
    applicationId: readApplicationId(credentials),
    detail: 'Check X-Application-Id and X-API-Key.',
  });
}

/** Rejections that reveal application settings, so only callers with a valid key get them. */
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
      'The allow-list of this application does not include your network address.',
    );
  }
  if (required === 'server' && grant.type !== required)
    return new AppError('client_key_forbidden', 'This endpoint requires a Server key.');
  if (required === 'client' && grant.type !== required)
    return new AppError(
      'forbidden',
      'This endpoint requires a Client key. A Server key is for servers only.',
    );
  const { origin } = req.headers;
  // Phone apps send no Origin; a browser page always does.
  if (
    grant.type === 'client' &&
    grant.allowedOrigins.length > 0 &&
    origin !== undefined &&
    !grant.allowedOrigins.includes(origin)
  ) {
    return new AppError(
      'client_key_forbidden',
      'This Client key is not allowed for the origin of this page.',
    );
  }
  return null;
}
