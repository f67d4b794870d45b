import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  timingSafeEqual,
  verify,
} from 'node:crypto';
import { persistentSecret, persistentText } from '../../devices/persistent-secret.ts';

/** A Google service account file. */
export type ServiceAccount = {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  readonly private_key: string;
  readonly client_email: string;
  readonly token_uri: string;
};

/** The single project of the sandbox with its service account. */
export interface FcmProject {
  /** Its token URL depends on the origin under which the sandbox is reached. */
  serviceAccount(origin: string): ServiceAccount;
  /**
   * Exchanges a signed assertion (RFC 7523) for an access token; returns Google's error otherwise.
   */
  exchange(
    assertion: string,
    facts: { readonly tokenUri: string; readonly nowMs: number },
  ):
    | { readonly accessToken: string; readonly expiresInSeconds: number }
    | { readonly error: string };
  /** True if the access token is ours and has not expired. */
  isAccepted(accessToken: string, nowMs: number): boolean;
}

export const PROJECT_ID = 'tidings-sandbox';
export const TOKEN_PATH = '/oauth2/token';
const CLIENT_EMAIL = `sender@${PROJECT_ID}.iam.gserviceaccount.com`;
const SCOPES =
  /(^| )https:\/\/www\.googleapis\.com\/auth\/(firebase\.messaging|cloud-platform)( |$)/;
const TOKEN_SECONDS = 3_600;
const KEY_BITS = 2_048;

/** The key pair is created on first use and kept. */
export function createFcmProject(dataDir: string): FcmProject {
  let kept: string | undefined;
  const privateKey = (): string =>
    (kept ??= persistentText(dataDir, 'fcm-private-key.pem', () =>
      generateKeyPairSync('rsa', { modulusLength: KEY_BITS })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
    ));
  const secret = persistentSecret(dataDir, 'fcm-token-secret');
  const computeSignature = (expiry: string): Buffer =>
    createHmac('sha256', secret()).update(expiry).digest();
  return {
    serviceAccount: (origin) => ({
      type: 'service_account',
      project_id: PROJECT_ID,
      private_key_id: 'sandbox',
      private_key: privateKey(),
      client_email: CLIENT_EMAIL,
      token_uri: `${origin}${TOKEN_PATH}`,
    }),
    exchange(assertion, { tokenUri, nowMs }) {
      const [head = '', claims = '', signature = ''] = assertion.split('.');
      const isSigned = verify(
        'sha256',
        Buffer.from(`${head}.${claims}`),
        createPublicKey(privateKey()),
        Buffer.from(signature, 'base64url'),
      );
      const { iss, aud, exp, scope } = isSigned ? parseJson(claims) : {};
      const isValid =
        iss === CLIENT_EMAIL && aud === tokenUri && typeof exp === 'number' && exp * 1000 > nowMs;
      if (!isValid) return { error: 'invalid_grant' };
      if (!SCOPES.test(String(scope))) return { error: 'invalid_scope' };
      const expiry = String(Math.floor(nowMs / 1000) + TOKEN_SECONDS);
      return {
        accessToken: `ya29.${expiry}.${computeSignature(expiry).toString('base64url')}`,
        expiresInSeconds: TOKEN_SECONDS,
      };
    },
    isAccepted(accessToken, nowMs) {
      const [prefix, expiry = '', signature = ''] = accessToken.split('.');
      const given = Buffer.from(signature, 'base64url');
      const due = computeSignature(expiry);
      return (
        prefix === 'ya29' &&
        given.length === due.length &&
        timingSafeEqual(given, due) &&
        Number(expiry) * 1000 > nowMs
      );
    },
  };
}

function parseJson(part: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
