import { ClaimedUserId } from '@tidings/contracts';
import { compileValidator } from '@tidings/platform';
import { jwtVerify, errors, type JWTPayload } from 'jose';

/** The longest that a token may live; one without an end would be a password. */
const LIFETIME_SECONDS_MAX = 24 * 60 * 60;
/** By so much the clock of whoever signed may differ from ours. */
const CLOCK_TOLERANCE_SECONDS = 60;
const validateUserId = compileValidator<string>(ClaimedUserId);

export type UserTokenResult =
  | { readonly status: 'valid'; readonly customUserId: string }
  | { readonly status: 'invalid'; readonly why: string };

const NOT_VALID = { status: 'invalid', why: 'The user token is not valid.' } as const;

/**
 * Reads a token of a user: a JSON Web Token by HS256 and no other algorithm, whatever it says of itself, signed with one
 * of the application's secrets. Why one is refused is told only of those that were signed right.
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
    return userOf(payload, nowMs);
  } catch (error) {
    if (error instanceof errors.JWSSignatureVerificationFailed) return 'other_signature';
    if (error instanceof errors.JWTExpired)
      return { status: 'invalid', why: 'The user token has expired.' };
    if (error instanceof errors.JOSEError) return NOT_VALID;
    throw error;
  }
}

function userOf({ sub, exp }: JWTPayload, nowMs: number): UserTokenResult {
  if (exp === undefined) return { status: 'invalid', why: 'The user token has no exp.' };
  if (exp > nowMs / 1000 + LIFETIME_SECONDS_MAX + CLOCK_TOLERANCE_SECONDS)
    return { status: 'invalid', why: 'The exp of the user token is more than 24 h ahead.' };
  const customUserId = validateUserId(sub);
  return customUserId.ok
    ? { status: 'valid', customUserId: customUserId.value }
    : { status: 'invalid', why: 'The sub of the user token is no customUserId.' };
}
