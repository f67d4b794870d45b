import type { KeyGrant } from '@tidings/accounts/api-keys';
import { readUserTokenSecrets } from '@tidings/accounts/user-token-secrets';
import type { UserClaim } from '@tidings/contracts/client-side';
import { AppError } from '@tidings/platform';
import type { ClientApiDependencies } from '../dependencies.ts';
import { readUserToken } from './user-token.ts';

/**
 * The user that a device may act for, and whether a user token proved it. Null when the request
 * names no user.
 */
export type UserProof = { readonly customUserId: string | null; readonly isByUserToken: boolean };

/**
 * Checks the user that a device claims. A Client key is public and proves nothing, so a
 * customUserId without a token is only accepted if the application allows it.
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
    throw new AppError('forbidden', 'This application requires a user token for a customUserId.');
  }
  const result = await readUserToken(userToken, {
    secrets: await readUserTokenSecrets(db, box, applicationId),
    nowMs: clock.now(),
  });
  if (result.status === 'invalid') throw new AppError('forbidden', result.why);
  if (customUserId != null && customUserId !== result.customUserId)
    throw new AppError('forbidden', 'The user token belongs to another customUserId.');
  return { customUserId: result.customUserId, isByUserToken: true };
}
