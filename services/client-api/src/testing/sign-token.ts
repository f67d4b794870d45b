import { createHmac } from 'node:crypto';

const encode = (value: unknown): string =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

export const HS256 = { alg: 'HS256', typ: 'JWT' };

/** A JSON Web Token as a back end would sign it, by nothing but HMAC: not by the library that reads it. */
export function signToken(
  secret: string,
  payload: unknown,
  { header = HS256, hash = 'sha256' }: { readonly header?: object; readonly hash?: string } = {},
): string {
  const signed = `${encode(header)}.${encode(payload)}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

/** Seconds since the epoch, `seconds` from now. */
export const inSeconds = (seconds: number, nowMs = Date.now()): number =>
  Math.floor(nowMs / 1000) + seconds;

/** A token of the user that lives for a minute. */
export const tokenOf = (secret: string, customUserId: string): string =>
  signToken(secret, { sub: customUserId, exp: inSeconds(60) });
