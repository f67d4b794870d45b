import { findAdminToken, findKeyGrant, getApplication, type Database, type KeyGrant } from '@tidings/db';
import { AppError, isAddressAllowed, isUuid, type ClientAddressReader } from '@tidings/platform';
import type { Request, RequestHandler, Response } from 'express';

/** The application of the request, proved by a key or named beside an administrator token. */
export function applicationIdOf(res: Response): string {
  return String(res.locals['applicationId']);
}

/** Who the caller is, by the name of the key or token. */
export function actorOf(res: Response): string {
  return String(res.locals['actor']);
}

/** Whether the caller looks after the whole installation: an administrator token does, whatever application it names. */
export function isInstallationAdministrator(res: Response): boolean {
  return res.locals['isInstallationAdministrator'] === true;
}

const FORBIDDEN = 'Check X-Application-Id and X-API-Key, or the administrator token.';
const SECRET_CHARS_MAX = 256;

/** A Server key of its application, or an administrator token with `X-Application-Id`. */
export function requireReader(db: Database, clientAddressOf: ClientAddressReader): RequestHandler {
  return async (req, res, next) => {
    if (req.headers['x-api-key'] === undefined) {
      await checkAdministrator(db, req, res);
      await checkApplication(db, req, res);
    } else {
      const grant = await checkServerKey(db, req, clientAddressOf);
      res.locals['applicationId'] = grant.applicationId;
      res.locals['actor'] = `key:${grant.keyName}`;
    }
    next();
  };
}

/** An administrator token: `Authorization: Bearer at_…`. */
export function requireAdministrator(db: Database): RequestHandler {
  return async (req, res, next) => {
    await checkAdministrator(db, req, res);
    next();
  };
}

/** The application an administrator speaks of: 400 without `X-Application-Id`, 404 when there is none such. */
export function requireApplication(db: Database): RequestHandler {
  return async (req, res, next) => {
    await checkApplication(db, req, res);
    next();
  };
}

async function checkServerKey(db: Database, req: Request, clientAddressOf: ClientAddressReader): Promise<KeyGrant> {
  const applicationId = headerUuid(req);
  const key = req.headers['x-api-key'];
  const isUsable = applicationId !== null && typeof key === 'string' && key.length <= SECRET_CHARS_MAX;
  const grant = isUsable ? await findKeyGrant(db, applicationId, key) : null;
  if (grant === null) throw new AppError('forbidden', FORBIDDEN);
  if (!isAddressAllowed(grant, () => clientAddressOf(req))) {
    throw new AppError('ip_not_allowed', 'Requests of this application may not come from this address.');
  }
  if (grant.type !== 'server') throw new AppError('client_key_forbidden', 'This address needs a Server key.');
  return grant;
}

async function checkAdministrator(db: Database, req: Request, res: Response): Promise<void> {
  const [scheme, token = ''] = (req.headers.authorization ?? '').split(' ');
  const isUsable = scheme?.toLowerCase() === 'bearer' && token !== '' && token.length <= SECRET_CHARS_MAX;
  const name = isUsable ? await findAdminToken(db, token) : null;
  if (name === null) throw new AppError('forbidden', FORBIDDEN);
  res.locals['actor'] = `token:${name}`;
  res.locals['isInstallationAdministrator'] = true;
}

async function checkApplication(db: Database, req: Request, res: Response): Promise<void> {
  if (req.headers['x-application-id'] === undefined) {
    throw new AppError('validation_failed', 'X-Application-Id names the application; it is missing.');
  }
  const applicationId = headerUuid(req);
  if (applicationId === null || (await getApplication(db, applicationId)) === null) {
    throw new AppError('not_found', 'There is no application with this id.');
  }
  res.locals['applicationId'] = applicationId;
}

function headerUuid(req: Request): string | null {
  const value = req.headers['x-application-id'];
  return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : null;
}
