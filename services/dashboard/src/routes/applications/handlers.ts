import { createApplication, getApplication, listApplications, updateApplication, type ApplicationSettings } from '@tidings/db';
import { AppError, compileValidator } from '@tidings/platform';
import { Type } from 'typebox';
import type { DashboardDependencies } from '../../dependencies.ts';
import { pageOf } from '../page.ts';
import { STORABLE, STORABLE_LINE } from '../plain-text.ts';
import { readValid } from '../read-body.ts';
import { idParameter, sendJson, type Route } from '../route.ts';

const Name = Type.String({ minLength: 1, maxLength: 200, pattern: STORABLE });

const validateNew = compileValidator<{ readonly name: string }>(Type.Object({ name: Name }));
const validateChange = compileValidator<{ readonly name?: string; readonly settings?: ApplicationSettings }>(
  Type.Object({
    name: Type.Optional(Name),
    settings: Type.Optional(
      Type.Object(
        {
          defaultSubject: Type.Optional(Type.String({ maxLength: 200, pattern: STORABLE_LINE })),
          sendUntested: Type.Optional(Type.Boolean()),
        },
        { additionalProperties: false },
      ),
    ),
  }),
);

const NO_APPLICATION = 'There is no application with this id.';

/** Applications (tenants) and their settings. */
export function applicationRoutes({ db }: DashboardDependencies): Route[] {
  return [
    {
      method: 'GET',
      path: 'applications',
      access: 'administrator',
      handle: async (req, res) => sendJson(res, pageOf(req, await listApplications(db), ({ applicationId }) => applicationId)),
    },
    {
      method: 'POST',
      path: 'applications',
      access: 'administrator',
      handle: async (req, res) => sendJson(res, await createApplication(db, readValid(validateNew, req.body).name), 201),
    },
    {
      method: 'GET',
      path: 'applications/:applicationId',
      access: 'administrator',
      handle: async (req, res) => {
        const application = await getApplication(db, idParameter(req, 'applicationId'));
        if (application === null) throw new AppError('not_found', NO_APPLICATION);
        sendJson(res, application);
      },
    },
    {
      method: 'PATCH',
      path: 'applications/:applicationId',
      access: 'administrator',
      handle: async (req, res) => {
        const application = await updateApplication(db, idParameter(req, 'applicationId'), readValid(validateChange, req.body));
        if (application === null) throw new AppError('not_found', NO_APPLICATION);
        sendJson(res, application);
      },
    },
  ];
}
