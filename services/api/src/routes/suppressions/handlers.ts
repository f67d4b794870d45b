import { getApplication } from '@tidings/accounts/applications';
import {
  createSuppressionEndpoint,
  deleteSuppressionEndpoint,
  listSuppressionsEndpoint,
} from '@tidings/api-spec/endpoints/suppressions';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { FieldError } from '@tidings/contracts/errors/error-codes';
import { addSuppression, deleteSuppression, listSuppressions } from '@tidings/people/suppressions';
import { AppError, isUuid } from '@tidings/platform';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { readPage, toPage } from '../../http/page.ts';
import { ADDRESS_EXPECTED, normalAddress } from './address.ts';

/** Suppressed addresses: list, add, remove. */
export function suppressionRoutes({ db }: ApiDependencies): Route[] {
  return [
    defineRoute(listSuppressionsEndpoint, async ({ res, query }) => {
      const { limit, ...page } = readPage(query, isUuid);
      const filter = {
        ...(query.channel && { channel: query.channel }),
        ...(query.address !== undefined && { address: query.address }),
      };
      return toPage(
        await listSuppressions(db, getApplicationId(res), { ...page, ...filter, limit: limit + 1 }),
        limit,
        ({ id }) => id,
      );
    }),
    defineRoute(createSuppressionEndpoint, async ({ res, body: { channel, address, reason } }) => {
      const applicationId = getApplicationId(res);
      const settings = (await getApplication(db, applicationId))?.settings;
      const normal = normalAddress(channel, address, settings?.defaultCountry);
      const { address: kindOf, suppressionReasons } = CHANNEL_DESCRIPTORS[channel];
      const reasons: readonly string[] = suppressionReasons;
      const errors: FieldError[] = [
        ...(normal === null
          ? [
              {
                pointer: '/address',
                code: 'invalid_value',
                expected: ADDRESS_EXPECTED[kindOf.kind],
              } as const,
            ]
          : []),
        ...(reasons.includes(reason)
          ? []
          : [
              {
                pointer: '/reason',
                code: 'invalid_value',
                expected: `for ${channel} one of ${reasons.join(', ')}`,
              } as const,
            ]),
      ];
      if (normal === null || errors.length > 0)
        throw new AppError('validation_failed', 'The body is not valid.', { errors });
      return addSuppression(db, { applicationId, channel, address: normal, reason });
    }),
    defineRoute(deleteSuppressionEndpoint, async ({ res, params }) => {
      const isGone = await deleteSuppression(
        db,
        getApplicationId(res),
        String(params['suppressionId']),
      );
      if (!isGone)
        throw new AppError('not_found', 'This application has no suppression with this id.');
    }),
  ];
}
