import { LRUCache } from 'lru-cache';
import { createSign, randomUUID } from 'node:crypto';

/** The private key cannot sign: no request is made. */
export class KeyRejected extends Error {
  override readonly name = 'KeyRejected';
}

/** Tokens with which an application of Vonage signs in (developer.vonage.com, "Authentication"). */
export interface ApplicationTokens {
  /**
   * @param key identifies a version of an application's settings
   * @throws KeyRejected
   */
  get(
    key: string,
    application: { readonly applicationId: string; readonly privateKey: string },
  ): string;
}

const TOKEN_SECONDS = 15 * 60;
/** A signature costs as much CPU as the rest of a send. */
const REUSED_MS = 5 * 60_000;
const KEPT_MAX = 1_000;

export function createApplicationTokens(nowMs: () => number = Date.now): ApplicationTokens {
  const tokens = new LRUCache<string, { readonly token: string; readonly until: number }>({
    max: KEPT_MAX,
  });
  return {
    get(key, application) {
      const now = nowMs();
      const kept = tokens.get(key);
      if (kept !== undefined && kept.until > now) return kept.token;
      const token = signToken(application, now);
      tokens.set(key, { token, until: now + REUSED_MS });
      return token;
    },
  };
}

function signToken(
  { applicationId, privateKey }: { readonly applicationId: string; readonly privateKey: string },
  nowMs: number,
): string {
  const issuedAt = Math.floor(nowMs / 1000);
  const claims = {
    application_id: applicationId,
    iat: issuedAt,
    exp: issuedAt + TOKEN_SECONDS,
    jti: randomUUID(),
  };
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  try {
    return `${text}.${createSign('sha256').update(text).sign(privateKey).toString('base64url')}`;
  } catch {
    // OpenSSL's error may contain parts of the key.
    throw new KeyRejected('the private key of the Vonage application cannot sign');
  }
}
