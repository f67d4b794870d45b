import { createCredentialGuard, type CredentialGuard } from '@tidings/access';
import { authenticateAdminToken } from '@tidings/accounts/admin-tokens';
import { findKeyGrant } from '@tidings/accounts/api-keys';
import { getApplication } from '@tidings/accounts/applications';
import type { AuditActor } from '@tidings/accounts/audit-log';
import { authenticateSession } from '@tidings/accounts/members/sessions';
import type { Endpoint } from '@tidings/api-spec/endpoint';
import { mayCall } from '@tidings/api-spec/roles';
import type { ApplicationSettings } from '@tidings/contracts/application-settings';
import { MANAGEABLE_ROLES, type MemberRole } from '@tidings/contracts/members';
import {
  createClientAddressReader,
  createTlsReader,
  type ClientAddressReader,
} from '@tidings/http/client-address';
import { AppError, isAddressAllowed, isUuid } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Request, RequestHandler, Response } from 'express';
import type { ApiDependencies } from '../dependencies.ts';
import { createRecorder } from './audit.ts';
import { application, connection, caller, type SignedIn } from './request-context.ts';
import { checkCsrf, isFromOwnPage, rejectCrossSite } from './same-origin.ts';
import { createCookies, type Cookies } from './session-cookie.ts';

/**
 * The application of the request: authenticated by a key, or named next to an administrator token
 * or session.
 */
export function getApplicationId(res: Response): string {
  return application.of(res).applicationId;
}

/** The settings of this application when the request was authorized. */
export function getSettings(res: Response): ApplicationSettings {
  return application.of(res).settings;
}

/** The caller for logs: the name of the key or token, or the member's e-mail address. */
export function getActor(res: Response): string {
  return caller.of(res).actor;
}

/** Identifies the caller for rates: all sessions of a member are one. */
export function getCallerId(res: Response): string {
  return caller.of(res).id;
}

/**
 * Whether the caller administrates the installation: an administrator token, an owner or an admin.
 */
export function isInstallationAdministrator(res: Response): boolean {
  return caller.find(res)?.isInstallationAdministrator === true;
}

/** The IP address of the caller; null when the proxy headers contain no valid one. */
export function getClientAddress(res: Response): string | null {
  return connection.of(res).address;
}

export function getCookies(res: Response): Cookies {
  return connection.of(res).cookies;
}

/** The role of the calling member; null for a key or token. */
export function getRole(res: Response): MemberRole | null {
  return caller.find(res)?.session?.member.role ?? null;
}

/** The signed-in member and the session token, on endpoints that require a session. */
export function getSession(res: Response): SignedIn {
  const { session } = caller.of(res);
  if (session === null) throw new AppError('unauthenticated', UNAUTHENTICATED);
  return session;
}

/** The roles that the caller may assign, and whose members the caller may change. */
export function getManageableRoles(res: Response): readonly MemberRole[] {
  const role = getRole(res);
  if (role === null) return MANAGEABLE_ROLES.token;
  return role === 'owner' ? MANAGEABLE_ROLES.owner : MANAGEABLE_ROLES.admin;
}

/**
 * Whether the query may name the application. Links and event streams in a browser cannot set
 * headers.
 */
export function allowsApplicationInQuery(
  { method }: Pick<Endpoint, 'method'>,
  res: Response,
): boolean {
  return method === 'GET' && getRole(res) !== null;
}

/** Whether the caller may call another endpoint of the application, too. */
export function mayOpen(
  endpoint: Pick<Endpoint, 'method' | 'path' | 'access'>,
  res: Response,
): boolean {
  const role = getRole(res);
  if (role !== null) return mayCall(endpoint, role);
  return endpoint.access === 'reader' || isInstallationAdministrator(res);
}

const FORBIDDEN = 'Check X-Application-Id and X-API-Key, or the administrator token.';
const NO_KEYS =
  'This endpoint requires an administrator token (Authorization: Bearer …) or a session. API keys are not accepted.';
const UNAUTHENTICATED = 'Sign in to continue.';
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

/**
 * Creates the authorization middleware of an endpoint. It sets the caller and application of the
 * request.
 */
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
      'Your IP address is not on the allow-list of this application.',
    );
  }
  if (grant.type !== 'server')
    throw new AppError('client_key_forbidden', 'This endpoint requires a Server key.');
  application.set(res, { applicationId: grant.applicationId, settings: grant.settings });
  setCaller(gate, res, {
    id: grant.keyId,
    actor: `key:${grant.keyName}`,
    isInstallationAdministrator: false,
    session: null,
  });
}

/**
 * Accepts an administrator token, otherwise a session. Cookies, which browsers send on their own,
 * only count without an Authorization header.
 */
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
    id: token.id,
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
    // Programs get 403 without a hint, dashboard pages get 401.
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
      `Your role ${member.role} does not allow this. Ask an owner or admin.`,
    );
  setCaller(gate, res, {
    id: member.id,
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
    readonly id: string;
    readonly isInstallationAdministrator: boolean;
    readonly session: SignedIn | null;
  },
): void {
  const { id, isInstallationAdministrator: isAdministrator, session, ...actor } = who;
  caller.set(res, {
    id,
    actor: actor.actor,
    isInstallationAdministrator: isAdministrator,
    session,
    recorder: createRecorder(gate, { ...actor, address: getClientAddress(res) }),
  });
}

/** Reads the named application: 400 without a name, 404 for an unknown one. */
async function checkApplication(
  db: Database,
  { endpoint, req, res }: AccessRequest,
): Promise<void> {
  const named =
    req.headers['x-application-id'] ??
    (allowsApplicationInQuery(endpoint, res) ? req.query['applicationId'] : undefined);
  if (named === undefined)
    throw new AppError('validation_failed', 'The header X-Application-Id is missing.');
  const applicationId = parseUuid(named);
  const found = applicationId === null ? null : await getApplication(db, applicationId);
  if (found === null) throw new AppError('not_found', 'There is no application with this id.');
  application.set(res, { applicationId: found.applicationId, settings: found.settings });
}

function parseUuid(value: unknown): string | null {
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : null;
}
