import { readAllowList, writeAllowList } from '@tidings/accounts/applications';
import {
  readAllowListEndpoint,
  writeAllowListEndpoint,
} from '@tidings/api-spec/endpoints/allow-list';
import { AppError } from '@tidings/platform';
import { getClientAddress, getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { normalNetwork } from '../../auth/normal-network.ts';

/** The IP allow-list of an application. */
export function allowListRoutes({ db, publishKeyChange }: ApiDependencies): Route[] {
  return [
    defineRoute(readAllowListEndpoint, async ({ res }) => ({
      entries: await readAllowList(db, getApplicationId(res)),
      yourAddress: getClientAddress(res),
    })),
    defineRoute(writeAllowListEndpoint, async ({ res, body }) => {
      const applicationId = getApplicationId(res);
      const entries = body.entries.map(normalNetwork);
      const errors = entries.flatMap((entry, index) =>
        entry === null
          ? [
              {
                pointer: `/entries/${index}`,
                code: 'invalid_value',
                expected: 'an IP address or a network, e.g. 10.0.0.0/8',
              } as const,
            ]
          : [],
      );
      if (errors.length > 0)
        throw new AppError('validation_failed', 'The body is not valid.', { errors });
      const kept = [...new Set(entries.filter((entry) => entry !== null))];
      await writeAllowList(db, applicationId, kept);
      await publishKeyChange(applicationId);
      return { entries: kept, yourAddress: getClientAddress(res) };
    }),
  ];
}
