import type { KeyGrant } from '@tidings/accounts/api-keys';
import { readUserTokenSecrets } from '@tidings/accounts/user-token-secrets';
import type { UserClaim } from '@tidings/contracts';
import { AppError } from '@tidings/platform';
import type { ClientApiDependencies } from '../dependencies.ts';
import { readUserToken } from './user-token.ts';

/** The person that a device may act for, and whether a user token says so; null when it names none. */
export type UserProof = { readonly customUserId: string | null; readonly isByUserToken: boolean };

/**
 * Whom a device may act for. A Client key is in every page, so it proves
 * nothing: without the application's leave a bare customUserId is not believed.
 * @throws AppError `forbidden`
 */
export async function proveUser(
  { db, box, clock }: Pick<ClientApiDependencies, 'db' | 'box' | 'clock'>,
  { applicationId, settings }: KeyGrant,
  { userToken, customUserId }: UserClaim,
): Promise<UserProof> {
  if (userToken == null) {
    if (customUserId == null) return { customUserId: null, isByUserToken: false };
    if (settings.userTokens === 'optional') return { customUserId, isByUserToken: false };
    throw new AppError('forbidden', 'A customUserId needs a user token.');
  }
  const result = await readUserToken(userToken, {
    secrets: await readUserTokenSecrets(db, box, applicationId),
    nowMs: clock.now(),
  });
  if (result.status === 'invalid') throw new AppError('forbidden', result.why);
  if (customUserId != null && customUserId !== result.customUserId)
    throw new AppError('forbidden', 'The user token is of another customUserId.');
  return { customUserId: result.customUserId, isByUserToken: true };
}
