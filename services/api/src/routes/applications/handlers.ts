import {
  createApplication,
  getApplication,
  listApplications,
  type SettingsChange,
} from '@tidings/accounts/applications';
import { rotateUserTokenSecret } from '@tidings/accounts/user-token-secrets';
import {
  changeApplicationEndpoint,
  createApplicationEndpoint,
  listApplicationsEndpoint,
  readApplicationEndpoint,
  rotateUserTokenSecretEndpoint,
} from '@tidings/api-spec/endpoints/applications';
import { isTimeZone } from '@tidings/contracts/time-zones';
import { updateApplication } from '@tidings/people/update-application';
import { AppError } from '@tidings/platform';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate } from '../../http/page.ts';

const NO_APPLICATION = 'There is no application with this id.';

/** Applications (tenants) and their settings. */
export function applicationRoutes({ db, box, publishKeyChange }: ApiDependencies): Route[] {
  return [
    defineRoute(listApplicationsEndpoint, async ({ query }) =>
      paginate(query, await listApplications(db), ({ applicationId }) => applicationId),
    ),
    defineRoute(createApplicationEndpoint, ({ body: { name, timeZone } }) => {
      checkTimeZone(timeZone, '/timeZone');
      return createApplication(db, name, timeZone === undefined ? {} : { timeZone });
    }),
    defineRoute(readApplicationEndpoint, async ({ params }) => {
      const application = await getApplication(db, String(params['applicationId']));
      if (application === null) throw new AppError('not_found', NO_APPLICATION);
      return application;
    }),
    defineRoute(changeApplicationEndpoint, async ({ params, body: { name, settings } }) => {
      checkTimeZone((settings as SettingsChange | undefined)?.timeZone, '/settings/timeZone');
      const application = await updateApplication(db, String(params['applicationId']), {
        ...(name !== undefined && { name }),
        ...(settings !== undefined && { settings: settings as SettingsChange }),
      });
      if (application === null) throw new AppError('not_found', NO_APPLICATION);
      // Cached key grants contain the settings.
      if (settings !== undefined) await publishKeyChange(application.applicationId);
      return application;
    }),
    defineRoute(rotateUserTokenSecretEndpoint, async ({ params }) => {
      const secret = await rotateUserTokenSecret(db, box, String(params['applicationId']));
      if (secret === null) throw new AppError('not_found', NO_APPLICATION);
      return secret;
    }),
  ];
}

/**
 * Checked against the runtime's time zones: a fixed list would be incomplete. @throws AppError
 * `validation_failed`
 */
function checkTimeZone(timeZone: string | null | undefined, pointer: string): void {
  if (timeZone == null || isTimeZone(timeZone)) return;
  const errors = [
    {
      pointer,
      code: 'invalid_value',
      expected: 'an IANA time zone, e.g. Europe/Berlin',
    } as const,
  ];
  throw new AppError('validation_failed', 'The body is not valid.', { errors });
}
