import type { EgressHttp, HttpAnswer } from '@tidings/egress';
import { LRUCache } from 'lru-cache';
import { createSign } from 'node:crypto';
import type { ServiceAccount } from './service-account.ts';

/**
 * No access token: Google rejected the request (`answer` has the response), or the private key
 * cannot sign and no request was made.
 */
export class TokenRejected extends Error {
  readonly answer: HttpAnswer | undefined;
  constructor(message: string, answer?: HttpAnswer) {
    super(message);
    this.name = 'TokenRefused';
    this.answer = answer;
  }
}

/** Caches access tokens of service accounts. Concurrent callers share one request. */
export interface AccessTokens {
  /**
   * @param key identifies a version of an application's settings
   * @throws TokenRejected, or the error of the request
   */
  get(key: string, account: ServiceAccount): Promise<string>;
  /** Drops a token that was rejected before its expiry. */
  invalidate(key: string): void;
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const ASSERTION_SECONDS = 3_600;
/** Renewed this long before expiry, for clock differences. */
const EARLY_MS = 5 * 60_000;
const KEPT_MAX = 1_000;
const ANSWER_BYTES_MAX = 16 * 1024;

/**
 * Uses a signed assertion (RFC 7523) over our checked connections. Google's own package opens its
 * own connections and retries.
 */
export function createAccessTokens(
  http: EgressHttp,
  { timeoutMs, nowMs = Date.now }: { readonly timeoutMs: number; readonly nowMs?: () => number },
): AccessTokens {
  const tokens = new LRUCache<string, Promise<{ readonly token: string; readonly endsAt: number }>>(
    { max: KEPT_MAX },
  );
  const request = async (account: ServiceAccount) => {
    const now = nowMs();
    const answer = await http.request({
      method: 'POST',
      url: account.tokenUri,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion: signAssertion(account, now),
      }).toString(),
      timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      mayRepeat: true,
    });
    const { access_token: token, expires_in: seconds } =
      answer.status === 200 ? parseJson(answer.body) : {};
    if (typeof token !== 'string' || typeof seconds !== 'number')
      throw new TokenRejected(`no access token: HTTP ${answer.status}`, answer);
    return { token, endsAt: now + seconds * 1000 };
  };
  return {
    async get(key, account) {
      const kept = await tokens.get(key);
      if (kept !== undefined && kept.endsAt - EARLY_MS > nowMs()) return kept.token;
      const made = tokens.get(key);
      // Another caller has requested it meanwhile.
      if (made !== undefined && (await made) !== kept) return (await made).token;
      const asked = request(account);
      tokens.set(key, asked);
      // After a failure the next caller requests a new token.
      asked.catch(() => (tokens.peek(key) === asked ? tokens.delete(key) : false));
      return (await asked).token;
    },
    invalidate: (key) => void tokens.delete(key),
  };
}

function signAssertion(
  { clientEmail, privateKey, tokenUri }: ServiceAccount,
  nowMs: number,
): string {
  const issuedAt = Math.floor(nowMs / 1000);
  const claims = {
    iss: clientEmail,
    scope: SCOPE,
    aud: tokenUri,
    iat: issuedAt,
    exp: issuedAt + ASSERTION_SECONDS,
  };
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  try {
    return `${text}.${createSign('sha256').update(text).sign(privateKey).toString('base64url')}`;
  } catch {
    // OpenSSL's error may contain parts of the key.
    throw new TokenRejected('the private key of the service account is none');
  }
}

function parseJson(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}
