import { createCredentialGuard, type CredentialGuard } from '@tidings/access';
import { authenticateAdminToken } from '@tidings/accounts/admin-tokens';
import { findKeyGrant } from '@tidings/accounts/api-keys';
import { getApplication } from '@tidings/accounts/applications';
import type { AuditActor } from '@tidings/accounts/audit-log';
import { authenticateSession } from '@tidings/accounts/members/sessions';
import type { Endpoint } from '@tidings/api-spec/endpoint';
import { mayCall } from '@tidings/api-spec/roles';
import { MANAGEABLE_ROLES, type MemberRole, type ApplicationSettings } from '@tidings/contracts';
import {
  AppError,
  createClientAddressReader,
  createTlsReader,
  isAddressAllowed,
  isUuid,
  type ClientAddressReader,
} from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Request, RequestHandler, Response } from 'express';
import type { ApiDependencies } from '../dependencies.ts';
import { createRecorder } from './audit.ts';
import { application, connection, caller, type SignedIn } from './request-context.ts';
import { checkCsrf, isFromOwnPage, rejectCrossSite } from './same-origin.ts';
import { createCookies, type Cookies } from './session-cookie.ts';

/** The application of the request, proved by a key or named beside an administrator token or a session. */
export function getApplicationId(res: Response): string {
  return application.of(res).applicationId;
}

/** The settings of this application, as they were when the request came in. */
export function getSettings(res: Response): ApplicationSettings {
  return application.of(res).settings;
}

/** Who the caller is: the name of the key or token, or the address of the member. */
export function getActor(res: Response): string {
  return caller.of(res).actor;
}

/** Whether the caller looks after the whole installation: an administrator token and its owners and admins do, whatever application they name. */
export function isInstallationAdministrator(res: Response): boolean {
  return caller.find(res)?.isInstallationAdministrator === true;
}

/** The network address of the caller; null when the proxies say what is none. */
export function getClientAddress(res: Response): string | null {
  return connection.of(res).address;
}

/** How cookies are read and written here. */
export function getCookies(res: Response): Cookies {
  return connection.of(res).cookies;
}

/** The role of the member who calls; null of a key or a token. */
export function getRole(res: Response): MemberRole | null {
  return caller.find(res)?.session?.member.role ?? null;
}

/** Who is signed in, and the token of the session; only where a session is the only way in. */
export function getSession(res: Response): SignedIn {
  const { session } = caller.of(res);
  if (session === null) throw new AppError('unauthenticated', UNAUTHENTICATED);
  return session;
}

/** The roles whose members the administrator may touch, and may give. */
export function getManageableRoles(res: Response): readonly MemberRole[] {
  const role = getRole(res);
  if (role === null) return MANAGEABLE_ROLES.token;
  return role === 'owner' ? MANAGEABLE_ROLES.owner : MANAGEABLE_ROLES.admin;
}

/** Whether a query may name the application: a link or a stream that a browser fetches by itself has no headers. */
export function allowsApplicationInQuery(
  { method }: Pick<Endpoint, 'method'>,
  res: Response,
): boolean {
  return method === 'GET' && getRole(res) !== null;
}

const FORBIDDEN = 'Check X-Application-Id and X-API-Key, or the administrator token.';
const NO_KEYS =
  'This address needs an administrator token (Authorization: Bearer …) or a session; no API key opens it.';
const UNAUTHENTICATED = 'Sign in.';
const SECRET_CHARS_MAX = 256;

type AccessDependencies = Pick<
  ApiDependencies,
  'db' | 'clock' | 'ids' | 'logger' | 'trustedProxies' | 'wrongKeys' | 'callerRateOf'
>;
type AccessContext = AccessDependencies & {
  readonly clientAddressOf: ClientAddressReader;
  readonly cookies: Cookies;
  readonly guard: CredentialGuard;
};

/** What lets callers in, for each endpoint by who may call it; the request context has the caller then. */
export function createAccess(deps: AccessDependencies): (endpoint: Endpoint) => RequestHandler {
  const gate: AccessContext = {
    ...deps,
    clientAddressOf: createClientAddressReader(deps.trustedProxies),
    cookies: createCookies(createTlsReader(deps.trustedProxies)),
    guard: createCredentialGuard(deps),
  };
  return (endpoint) => async (req, res, next) => {
    connection.set(res, { address: gate.clientAddressOf(req), cookies: gate.cookies });
    await authorize(gate, { endpoint, req, res });
    next();
  };
}

type AccessRequest = { readonly endpoint: Endpoint; readonly req: Request; readonly res: Response };

async function authorize(gate: AccessContext, visit: AccessRequest): Promise<void> {
  const { endpoint, req, res } = visit;
  switch (endpoint.access) {
    case 'public':
      if (endpoint.method !== 'GET') rejectCrossSite(req);
      return;
    case 'member':
      return checkSession(gate, visit);
    case 'administrator':
      return checkAdministrator(gate, visit);
    case 'reader':
      if (req.headers['x-api-key'] !== undefined) return checkServerKey(gate, req, res);
      break;
    case 'application_administrator':
  }
  await checkAdministrator(gate, visit);
  await checkApplication(gate.db, visit);
}

async function checkServerKey(gate: AccessContext, req: Request, res: Response): Promise<void> {
  const applicationId = parseUuid(req.headers['x-application-id']);
  const key = req.headers['x-api-key'];
  const isUsable =
    applicationId !== null && typeof key === 'string' && key.length <= SECRET_CHARS_MAX;
  const grant = isUsable
    ? await gate.guard.find(
        { kind: 'key', text: key, address: getClientAddress(res), applicationId },
        res,
        () => findKeyGrant(gate.db, applicationId, key),
      )
    : null;
  if (grant === null) throw new AppError('forbidden', FORBIDDEN);
  if (!isAddressAllowed(grant, () => getClientAddress(res))) {
    throw new AppError(
      'ip_not_allowed',
      'Requests of this application may not come from this address.',
    );
  }
  if (grant.type !== 'server')
    throw new AppError('client_key_forbidden', 'This address needs a Server key.');
  application.set(res, { applicationId: grant.applicationId, settings: grant.settings });
  setCaller(gate, res, {
    actor: `key:${grant.keyName}`,
    isInstallationAdministrator: false,
    session: null,
  });
}

/** An administrator token, or else a session. What a browser sends by itself counts only where nothing was sent on purpose. */
async function checkAdministrator(gate: AccessContext, visit: AccessRequest): Promise<void> {
  if (visit.req.headers.authorization === undefined) return checkSession(gate, visit);
  const [scheme, text = ''] = visit.req.headers.authorization.split(' ');
  const isUsable =
    scheme?.toLowerCase() === 'bearer' && text !== '' && text.length <= SECRET_CHARS_MAX;
  const claim = {
    kind: 'token',
    text,
    address: getClientAddress(visit.res),
    applicationId: null,
  } as const;
  const token = isUsable
    ? await gate.guard.find(claim, visit.res, () =>
        authenticateAdminToken(gate.db, text, gate.clock.now()),
      )
    : null;
  if (token === null) throw new AppError('forbidden', FORBIDDEN);
  setCaller(gate, visit.res, {
    actor: `token:${token.name}`,
    tokenId: token.id,
    isInstallationAdministrator: true,
    session: null,
  });
}

async function checkSession(gate: AccessContext, visit: AccessRequest): Promise<void> {
  const { endpoint, req, res } = visit;
  const token = gate.cookies.read(req, 'sid');
  if (token === undefined) {
    // A program that was to bring a key or a token learns no more than that they are not right.
    const isPage = endpoint.access === 'member' || isFromOwnPage(req);
    throw isPage
      ? new AppError('unauthenticated', UNAUTHENTICATED)
      : new AppError('forbidden', req.headers['x-api-key'] === undefined ? FORBIDDEN : NO_KEYS);
  }
  const claim = {
    kind: 'session',
    text: token,
    address: getClientAddress(res),
    applicationId: null,
  } as const;
  const member =
    token.length <= SECRET_CHARS_MAX
      ? await gate.guard.find(claim, res, () =>
          authenticateSession(gate.db, token, gate.clock.now()),
        )
      : null;
  if (member === null) throw new AppError('unauthenticated', UNAUTHENTICATED);
  if (endpoint.method !== 'GET') checkCsrf(req, token);
  if (!mayCall(endpoint, member.role))
    throw new AppError(
      'role_forbidden',
      `The role ${member.role} may not do this. Ask an administrator of yours.`,
    );
  setCaller(gate, res, {
    actor: `member:${member.email}`,
    memberId: member.id,
    isInstallationAdministrator: member.role === 'owner' || member.role === 'admin',
    session: { member, token },
  });
}

function setCaller(
  gate: AccessContext,
  res: Response,
  who: AuditActor & {
    readonly isInstallationAdministrator: boolean;
    readonly session: SignedIn | null;
  },
): void {
  const { isInstallationAdministrator: isAdministrator, session, ...actor } = who;
  caller.set(res, {
    actor: actor.actor,
    isInstallationAdministrator: isAdministrator,
    session,
    recorder: createRecorder(gate, { ...actor, address: getClientAddress(res) }),
  });
}

/** The application that is meant: 400 where none is named, 404 where there is none such. */
async function checkApplication(
  db: Database,
  { endpoint, req, res }: AccessRequest,
): Promise<void> {
  const named =
    req.headers['x-application-id'] ??
    (allowsApplicationInQuery(endpoint, res) ? req.query['applicationId'] : undefined);
  if (named === undefined)
    throw new AppError(
      'validation_failed',
      'X-Application-Id names the application; it is missing.',
    );
  const applicationId = parseUuid(named);
  const found = applicationId === null ? null : await getApplication(db, applicationId);
  if (found === null) throw new AppError('not_found', 'There is no application with this id.');
  application.set(res, { applicationId: found.applicationId, settings: found.settings });
}

function parseUuid(value: unknown): string | null {
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : null;
}
