import {
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
} from '@tidings/accounts/admin-tokens';
import {
  createTokenEndpoint,
  deleteTokenEndpoint,
  listTokensEndpoint,
} from '@tidings/api-spec/endpoints/administrator-tokens';
import { AppError } from '@tidings/platform';
import { getActor } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate } from '../../http/page.ts';

/** Administrator tokens: list, create (shown once), revoke. */
export function administratorTokenRoutes({ db, clock }: ApiDependencies): Route[] {
  return [
    defineRoute(listTokensEndpoint, async ({ query }) =>
      paginate(query, await listAdminTokens(db), ({ id }) => id),
    ),
    defineRoute(createTokenEndpoint, ({ res, body }) =>
      createAdminToken(db, { name: body.name, createdBy: getActor(res) }),
    ),
    defineRoute(deleteTokenEndpoint, async ({ params }) => {
      const isRevoked = await revokeAdminToken(db, String(params['tokenId']), clock.now());
      if (!isRevoked)
        throw new AppError('not_found', 'There is no administrator token with this id.');
    }),
  ];
}
