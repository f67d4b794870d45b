import {
  createAdminToken,
  listAdminTokens,
  revokeAdminToken,
} from '@tidings/accounts/admin-tokens';
import { AppError } from '@tidings/platform';
import { actorOf } from '../../auth/access.ts';
import type { DashboardDependencies } from '../../dependencies.ts';
import type { Route } from '../endpoint.ts';
import { pageOf } from '../page.ts';
import { createTokenEndpoint, deleteTokenEndpoint, listTokensEndpoint } from './endpoints.ts';

/** Administrator tokens: made and shown once, revoked. */
export function administratorTokenRoutes({ db, clock }: DashboardDependencies): Route[] {
  return [
    listTokensEndpoint.handledBy(async ({ query }) =>
      pageOf(query, await listAdminTokens(db), ({ id }) => id),
    ),
    createTokenEndpoint.handledBy(({ res, body }) =>
      createAdminToken(db, { name: body.name, createdBy: actorOf(res) }),
    ),
    deleteTokenEndpoint.handledBy(async ({ params }) => {
      const isRevoked = await revokeAdminToken(db, String(params['tokenId']), clock.now());
      if (!isRevoked) throw new AppError('not_found', 'There is no such administrator token.');
    }),
  ];
}
