import { ClaimedUserId } from '@tidings/contracts/client-side';
import { createValidator } from '@tidings/validation';
import { jwtVerify, errors, type JWTPayload } from 'jose';

/** Maximum lifetime. A token without expiry would be a password. */
const LIFETIME_SECONDS_MAX = 24 * 60 * 60;
/** Tolerated clock difference to the signer. */
const CLOCK_TOLERANCE_SECONDS = 60;
const validateUserId = createValidator<string>(ClaimedUserId, { isHot: true });

export type UserTokenResult =
  | { readonly status: 'valid'; readonly customUserId: string }
  | { readonly status: 'invalid'; readonly why: string };

const NOT_VALID = { status: 'invalid', why: 'The user token is invalid.' } as const;

/**
 * Verifies a user token: a JSON Web Token signed with HS256 and one of the application's secrets.
 * The algorithm in its header is ignored. A precise reason is returned only for tokens with a valid
 * signature.
 */
export async function readUserToken(
  token: string,
  { secrets, nowMs }: { readonly secrets: readonly string[]; readonly nowMs: number },
): Promise<UserTokenResult> {
  for (const secret of secrets) {
    const result = await verify(token, { secret, nowMs });
    if (result !== 'other_signature') return result;
  }
  return NOT_VALID;
}

async function verify(
  token: string,
  { secret, nowMs }: { readonly secret: string; readonly nowMs: number },
): Promise<UserTokenResult | 'other_signature'> {
  try {
    const { payload } = await jwtVerify(token, new TextEncoder().encode(secret), {
      algorithms: ['HS256'],
      currentDate: new Date(nowMs),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    });
    return readUser(payload, nowMs);
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return 'other_signature';
    if (error instanceof errors.JWTExpired)
      return { status: 'invalid', why: 'The user token has expired.' };
    if (error instanceof errors.JOSEError) return NOT_VALID;
    throw error;
  }
}

function readUser({ sub, exp }: JWTPayload, nowMs: number): UserTokenResult {
  if (exp === undefined) return { status: 'invalid', why: 'The user token has no exp claim.' };
  if (exp > nowMs / 1000 + LIFETIME_SECONDS_MAX + CLOCK_TOLERANCE_SECONDS)
    return { status: 'invalid', why: 'The exp claim of the user token is more than 24 h ahead.' };
  const customUserId = validateUserId(sub);
  return customUserId.ok
    ? { status: 'valid', customUserId: customUserId.value }
    : { status: 'invalid', why: 'The sub claim of the user token is not a valid customUserId.' };
}
