import {
  readRehearsalEndpoint,
  rehearseAutomationEndpoint,
} from '@tidings/api-spec/endpoints/rehearsals';
import { readRehearsal, requestRehearsal } from '@tidings/automation-rehearsal/rehearsals';
import { AppError } from '@tidings/platform';
import { getActor, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { automationOf, notFound } from './found-automation.ts';

/** Automations, tried on stored events. */
export function rehearsalRoutes({ db }: ApiDependencies): Route[] {
  return [
    defineRoute(rehearseAutomationEndpoint, async ({ res, params, body }) => {
      const requested = await requestRehearsal(db, {
        ...automationOf(res, params),
        ...body,
        by: getActor(res),
      });
      if (requested === 'not_found') throw notFound();
      if (requested === 'running')
        throw new AppError('conflict', 'Another rehearsal of this application runs. Wait for it.');
      if ('errors' in requested)
        throw new AppError('validation_failed', 'The rehearsal is not valid.', {
          errors: [...requested.errors],
        });
      return requested;
    }),
    defineRoute(readRehearsalEndpoint, async ({ res, params }) => {
      const rehearsal = await readRehearsal(db.sql, {
        applicationId: getApplicationId(res),
        rehearsalId: String(params['rehearsalId']),
      });
      if (rehearsal === null)
        throw new AppError('not_found', 'This application has no rehearsal with this id.');
      return rehearsal;
    }),
  ];
}
