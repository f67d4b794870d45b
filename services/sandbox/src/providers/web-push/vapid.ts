import { createPublicKey, verify } from 'node:crypto';

/** The sender: its VAPID public key and contact (subject). */
export type Sender = { readonly publicKey: string; readonly subject: string | null };

const PUBLIC_KEY_BYTES = 65;
const UNCOMPRESSED = 4;
const HALF_BYTES = 32;
const VALID_SECONDS_MAX = 86_400;

/**
 * Checks the `Authorization` header (RFC 8292): a token for this push service, valid now and for at
 * most a day, signed by the accompanying key. Returns the sender, or the error.
 */
export function verifySender(
  authorization: string | undefined,
  { audience, nowMs }: { readonly audience: string; readonly nowMs: number },
): Sender | string {
  const parameters = /^vapid\s+(.*)$/i.exec(authorization ?? '')?.[1]?.split(',') ?? [];
  const { t, k } = Object.fromEntries(
    parameters.map((pair) => [
      pair.slice(0, pair.indexOf('=')).trim(),
      pair.slice(pair.indexOf('=') + 1).trim(),
    ]),
  ) as Readonly<Record<string, string | undefined>>;
  if (t === undefined || k === undefined) return 'Authorization has no VAPID token and key';
  const key = Buffer.from(k, 'base64url');
  if (key.length !== PUBLIC_KEY_BYTES || key[0] !== UNCOMPRESSED)
    return 'the key is not a point of P-256';
  const [head = '', claims = '', signature = '', ...rest] = t.split('.');
  const { alg } = parseJson(head);
  if (rest.length > 0 || alg !== 'ES256') return 'the token is not signed with ES256';
  if (!isSigned(`${head}.${claims}`, signature, key))
    return 'the signature of the token is not valid';
  const { aud, exp, sub } = parseJson(claims);
  const nowSeconds = nowMs / 1000;
  if (aud !== audience) return `the token is for ${String(aud)}, not for ${audience}`;
  if (typeof exp !== 'number' || exp <= nowSeconds) return 'the token has expired';
  if (exp > nowSeconds + VALID_SECONDS_MAX) return 'the token is valid for more than a day';
  const subject = typeof sub === 'string' ? sub : null;
  if (sub !== undefined && !/^(mailto:|https:)/.test(subject ?? ''))
    return 'the subject is neither mailto: nor https:';
  return { publicKey: key.toString('base64url'), subject };
}

function isSigned(text: string, signature: string, key: Buffer): boolean {
  const half = (at: number): string => key.subarray(at, at + HALF_BYTES).toString('base64url');
  try {
    const publicKey = createPublicKey({
      format: 'jwk',
      key: { kty: 'EC', crv: 'P-256', x: half(1), y: half(1 + HALF_BYTES) },
    });
    return verify(
      'sha256',
      Buffer.from(text),
      { key: publicKey, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
  } catch {
    return false; // The key is not a point of the curve.
  }
}

function parseJson(part: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
