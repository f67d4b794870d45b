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
import { LIMITS } from '@tidings/contracts';
import { AppError } from '@tidings/platform';
import { getApplicationId } from '../../auth/access.ts';
import type { ApiDependencies } from '../../dependencies.ts';
import { defineRoute, type Route } from '../../http/route.ts';
import { paginate } from '../../http/page.ts';

const NO_KEY = 'This application has no such key.';

/** API keys: made and shown once, changed from Server to Client, deleted; gateways learn of it at once. */
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
        throw new AppError('conflict', 'A key becomes no Server key. Create a new one.');
      }
      const key = await changeKeyToClient(db, applicationId, keyId);
      if (key === null) throw new AppError('not_found', NO_KEY);
      if (key === 'conflict')
        throw new AppError('conflict', 'This is a Client key already; there is no way back.');
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

/** Exactly what a browser sends in `Origin`, so that comparing texts is enough. */
function checkOrigins(origins: readonly string[]): void {
  const errors = origins.flatMap((origin, index) =>
    URL.parse(origin)?.origin === origin
      ? []
      : [
          {
            pointer: `/allowedOrigins/${index}`,
            code: 'invalid_value',
            expected: 'an origin, as https://shop.example',
          } as const,
        ],
  );
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The body is not valid.', { errors });
}
