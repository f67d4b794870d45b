import { EVENT_KINDS, LIMITS, type EventKind } from '@tidings/contracts';
import { createDefinition, listDefinitions } from '@tidings/db';
import { AppError, compileValidator } from '@tidings/platform';
import type { RequestHandler } from 'express';
import { Type } from 'typebox';
import { applicationIdOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import { pageOf } from '../page.ts';
import { STORABLE_NOT_BLANK } from '../plain-text.ts';
import { readValid } from '../read-body.ts';
import { sendJson, type Route } from '../route.ts';

const validateNew = compileValidator<{ readonly name: string; readonly kind: EventKind }>(
  Type.Object({
    name: Type.String({ minLength: 1, maxLength: LIMITS.customNameCharsMax, pattern: STORABLE_NOT_BLANK }),
    kind: Type.Unsafe<EventKind>({ enum: EVENT_KINDS }),
  }),
);

/** Event definitions: made by the first event of a new name, or here ahead of it. */
export function definitionRoutes({ db }: DashboardDependencies): Route[] {
  const create: RequestHandler = async (req, res) => {
    const definition = await createDefinition(db, { applicationId: applicationIdOf(res), ...readValid(validateNew, req.body) });
    if (definition === 'conflict') throw new AppError('conflict', 'A definition of this kind has this name already.');
    if (definition === 'too_many') throw new AppError('conflict', `An application has at most ${LIMITS.definitionsMax} definitions.`);
    sendJson(res, definition, 201);
  };
  const list: RequestHandler = async (req, res) =>
    sendJson(res, pageOf(req, await listDefinitions(db, applicationIdOf(res)), ({ slug }) => slug));

  return [
    { method: 'GET', path: 'definitions', access: 'reader', handle: list },
    { method: 'POST', path: 'definitions', access: 'application_administrator', handle: create },
  ];
}
