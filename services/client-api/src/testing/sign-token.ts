import { createHmac } from 'node:crypto';

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export const HS256 = { alg: 'HS256', typ: 'JWT' };

/** Signs a JSON Web Token with plain HMAC, without the library that verifies it. */
export function signToken(
  secret: string,
  payload: unknown,
  { header = HS256, hash = 'sha256' }: { readonly header?: object; readonly hash?: string } = {},
): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** The time `seconds` from now, in seconds since the epoch. */
export const inSeconds = (seconds: number, nowMs = Date.now()): number =>
  Math.floor(nowMs / 1000) + seconds;

/** A user token that is valid for a minute. */
export const tokenOf = (secret: string, customUserId: string): string =>
  signToken(secret, { sub: customUserId, exp: inSeconds(60) });
