import {
  changeKeyToClient,
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '@tidings/accounts/api-keys';
import {
  changeKeyEndpoint,
  createKeyEndpoint,
  deleteKeyEndpoint,
  listKeysEndpoint,
} from '@tidings/api-spec/endpoints/keys';
import { LIMITS } from '@tidings/contracts/limits';
import { AppError } from '@tidings/platform';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate } from '../../http/page.ts';

const NO_KEY = 'This application has no key with this id.';

/**
 * API keys: create (shown once), change from Server to Client, revoke. Gateways are notified at
 * once.
 */
export function keyRoutes({ db, publishKeyChange }: ApiDependencies): Route[] {
  return [
    defineRoute(listKeysEndpoint, async ({ res, query }) =>
      paginate(query, await listApiKeys(db, getApplicationId(res)), ({ id }) => id),
    ),
    defineRoute(createKeyEndpoint, async ({ res, body: { type, name, allowedOrigins = [] } }) => {
      const applicationId = getApplicationId(res);
      checkOrigins(allowedOrigins);
      const key = await createApiKey(db, { applicationId, type, name, allowedOrigins });
      if (key === 'too_many')
        throw new AppError(
          'conflict',
          `An application has at most ${LIMITS.keysMax} keys. Delete one first.`,
        );
      await publishKeyChange(applicationId);
      return key;
    }),
    defineRoute(changeKeyEndpoint, async ({ res, params, body: { type } }) => {
      const applicationId = getApplicationId(res);
      const keyId = String(params['keyId']);
      if (type === 'server') {
        const isThere = (await listApiKeys(db, applicationId)).some(
          ({ id }) => id === keyId.toLowerCase(),
        );
        if (!isThere) throw new AppError('not_found', NO_KEY);
        throw new AppError(
          'conflict',
          'A key cannot be changed to a Server key. Create a new one.',
        );
      }
      const key = await changeKeyToClient(db, applicationId, keyId);
      if (key === null) throw new AppError('not_found', NO_KEY);
      if (key === 'conflict') throw new AppError('conflict', 'This key is already a Client key.');
      await publishKeyChange(applicationId);
      return key;
    }),
    defineRoute(deleteKeyEndpoint, async ({ res, params }) => {
      const applicationId = getApplicationId(res);
      if (!(await revokeApiKey(db, applicationId, String(params['keyId']))))
        throw new AppError('not_found', NO_KEY);
      await publishKeyChange(applicationId);
    }),
  ];
}

/** Requires origins exactly as browsers send them, so that a text comparison is enough. */
function checkOrigins(origins: readonly string[]): void {
  const errors = origins.flatMap((origin, index) =>
    URL.parse(origin)?.origin === origin
      ? []
      : [
          {
            pointer: `/allowedOrigins/${index}`,
            code: 'invalid_value',
            expected: 'an origin, e.g. https://shop.example',
          } as const,
        ],
  );
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The body is not valid.', { errors });
}
