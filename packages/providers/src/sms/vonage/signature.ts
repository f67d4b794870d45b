import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** What the token of a signed callback claims. Nothing in it is trusted before `isSigned`. */
export type SignedClaims = {
  readonly apiKey: string;
  readonly issuer: unknown;
  readonly payloadHash: unknown;
  /** Seconds since the epoch. */
  readonly issuedAt: unknown;
};

export type SignedToken = {
  /** Header and claims as they were signed. */
  readonly signedText: string;
  readonly signature: Buffer;
  readonly claims: SignedClaims;
};

const BEARER = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/;
const API_KEY = /^[A-Za-z0-9]{1,32}$/;
const ISSUER = 'Vonage';
/** Vonage repeats a callback for 24 hours. */
const AGE_SECONDS_MAX = 25 * 3_600;
const CLOCK_SKEW_SECONDS = 5 * 60;

/** The token in the header `Authorization`; null if it is none of Vonage's (HS256). */
export function readSignedToken(authorization: unknown): SignedToken | null {
  const [, head = '', body = '', signature = ''] =
    (typeof authorization === 'string' ? BEARER.exec(authorization) : null) ?? [];
  const header = parsePart(head);
  const claims = parsePart(body);
  const apiKey = claims['api_key'];
  if (header['alg'] !== 'HS256' || typeof apiKey !== 'string' || !API_KEY.test(apiKey)) return null;
  return {
    signedText: `${head}.${body}`,
    signature: Buffer.from(signature, 'base64url'),
    claims: {
      apiKey,
      issuer: claims['iss'],
      payloadHash: claims['payload_hash'],
      issuedAt: claims['iat'],
    },
  };
}

/**
 * Whether Vonage signed this body with this secret of the account, not too long ago
 * (developer.vonage.com, "Signed webhooks").
 */
export function isSigned(
  { signedText, signature, claims }: SignedToken,
  {
    secret,
    body,
    nowMs,
  }: { readonly secret: string; readonly body: Buffer; readonly nowMs: number },
): boolean {
  const due = createHmac('sha256', secret).update(signedText).digest();
  if (signature.length !== due.length || !timingSafeEqual(signature, due)) return false;
  const ageSeconds = nowMs / 1000 - Number(claims.issuedAt);
  return (
    claims.issuer === ISSUER &&
    claims.payloadHash === createHash('sha256').update(body).digest('hex') &&
    ageSeconds <= AGE_SECONDS_MAX &&
    ageSeconds >= -CLOCK_SKEW_SECONDS
  );
}

function parsePart(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
