import { KEY_TYPES, LIMITS, type KeyType } from '@tidings/contracts';
import { changeKeyToClient, createApiKey, listApiKeys, revokeApiKey } from '@tidings/db';
import { AppError, compileValidator } from '@tidings/platform';
import type { RequestHandler } from 'express';
import { Type } from 'typebox';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { pageOf } from '../page.ts';
import { STORABLE } from '../plain-text.ts';
import { readValid } from '../read-body.ts';
import { idParameter, sendJson, type Route } from '../route.ts';

const validateNew = compileValidator<{ readonly type: KeyType; readonly name: string }>(
  Type.Object(
    {
      type: Type.Unsafe<KeyType>({ enum: KEY_TYPES }),
      name: Type.String({ minLength: 1, maxLength: 100, pattern: STORABLE }),
    },
    { additionalProperties: false },
  ),
);
const validateChange = compileValidator<{ readonly type: 'client' }>(Type.Object({ type: Type.Literal('client') }));

const NO_KEY = 'This application has no such key.';

/** API keys: made and shown once, changed from Server to Client, deleted; gateways learn of it at once. */
export function keyRoutes({ db, announceKeyChange }: DashboardDependencies): Route[] {
  const create: RequestHandler = async (req, res) => {
    const applicationId = applicationIdOf(res);
    const key = await createApiKey(db, { applicationId, ...readValid(validateNew, req.body) });
    if (key === 'too_many') throw new AppError('conflict', `An application has at most ${LIMITS.keysMax} keys. Delete one first.`);
    await announceKeyChange(applicationId);
    sendJson(res, key, 201);
  };
  const change: RequestHandler = async (req, res) => {
    const applicationId = applicationIdOf(res);
    readValid(validateChange, req.body);
    const key = await changeKeyToClient(db, applicationId, idParameter(req, 'keyId'));
    if (key === null) throw new AppError('not_found', NO_KEY);
    if (key === 'conflict') throw new AppError('conflict', 'This is a Client key already; there is no way back.');
    await announceKeyChange(applicationId);
    sendJson(res, key);
  };
  const remove: RequestHandler = async (req, res) => {
    const applicationId = applicationIdOf(res);
    if (!(await revokeApiKey(db, applicationId, idParameter(req, 'keyId')))) throw new AppError('not_found', NO_KEY);
    await announceKeyChange(applicationId);
    res.status(204).end();
  };
  const list: RequestHandler = async (req, res) => sendJson(res, pageOf(req, await listApiKeys(db, applicationIdOf(res)), ({ id }) => id));

  return [
    { method: 'GET', path: 'keys', access: 'application_administrator', handle: list },
    { method: 'POST', path: 'keys', access: 'application_administrator', handle: create },
    { method: 'PATCH', path: 'keys/:keyId', access: 'application_administrator', handle: change },
    { method: 'DELETE', path: 'keys/:keyId', access: 'application_administrator', handle: remove },
  ];
}
