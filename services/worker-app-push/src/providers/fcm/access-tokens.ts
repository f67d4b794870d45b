import type { EgressHttp, HttpAnswer } from '@tidings/egress';
import { LRUCache } from 'lru-cache';
import { createSign } from 'node:crypto';
import type { ServiceAccount } from './service-account.ts';

/** There is no token: Google would not give one, and its answer says why; or the account's key signs nothing, and nobody was asked. */
export class TokenRejected extends Error {
  readonly answer: HttpAnswer | undefined;
  constructor(message: string, answer?: HttpAnswer) {
    super(message);
    this.name = 'TokenRefused';
    this.answer = answer;
  }
}

/** Access tokens of service accounts, kept while they are good and asked for once, however many wait for one. */
export interface AccessTokens {
  /** @param key tells one version of an application's settings from the next @throws TokenRefused, or what the request throws */
  get(key: string, account: ServiceAccount): Promise<string>;
  /** A token that was refused before its time. */
  invalidate(key: string): void;
}

const SCOPE = 'https://www.googleapis.com/auth/firebase.messaging';
const ASSERTION_SECONDS = 3_600;
/** A token is renewed so long before it ends, as the clocks need not agree. */
const EARLY_MS = 5 * 60_000;
const KEPT_MAX = 1_000;
const ANSWER_BYTES_MAX = 16 * 1024;

/** By a signed assertion (RFC 7523), over our vetted connections: Google's own package opens connections of its own, and tries again by itself. */
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
        assertion: assertionOf(account, now),
      }).toString(),
      timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
      mayRepeat: true,
    });
    const { access_token: token, expires_in: seconds } =
      answer.status === 200 ? jsonOf(answer.body) : {};
    if (typeof token !== 'string' || typeof seconds !== 'number')
      throw new TokenRejected(`no access token: HTTP ${answer.status}`, answer);
    return { token, endsAt: now + seconds * 1000 };
  };
  return {
    async get(key, account) {
      const kept = await tokens.get(key);
      if (kept !== undefined && kept.endsAt - EARLY_MS > nowMs()) return kept.token;
      const made = tokens.get(key);
      // Somebody else has asked meanwhile.
      if (made !== undefined && (await made) !== kept) return (await made).token;
      const asked = request(account);
      tokens.set(key, asked);
      // What failed is asked for again by the next who needs it.
      asked.catch(() => (tokens.peek(key) === asked ? tokens.delete(key) : false));
      return (await asked).token;
    },
    invalidate: (key) => void tokens.delete(key),
  };
}

function assertionOf({ clientEmail, privateKey, tokenUri }: ServiceAccount, nowMs: number): string {
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
    // OpenSSL's words may hold parts of the key.
    throw new TokenRejected('the private key of the service account is none');
  }
}

function jsonOf(body: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body) as Record<string, unknown>;
  } catch {
    return {};
  }
}
