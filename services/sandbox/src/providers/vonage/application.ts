import { createHash, createHmac, createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { persistentSecret, persistentText } from '../../devices/persistent-secret.ts';

/** What an operator copies from Vonage into the settings of SMS. */
export type VonageCredentials = {
  readonly apiKey: string;
  readonly applicationId: string;
  readonly privateKey: string;
  readonly signatureSecret: string;
};

/** The single account of the sandbox with its application. */
export interface VonageApplication {
  credentials(): VonageCredentials;
  /** Whether the header has a token that the application signed and that has not expired. */
  isSignedIn(authorization: string | undefined, nowMs: number): boolean;
  /** The header of a callback with this body. */
  signCallback(body: string, facts: { readonly id: string; readonly nowMs: number }): string;
}

const API_KEY = 'sandbox1';
const APPLICATION_ID = '5a4db0c5-0000-4000-8000-000000000001';
const KEY_BITS = 2_048;

/** The keys are created on first use and kept. */
export function createVonageApplication(dataDir: string): VonageApplication {
  let kept: string | undefined;
  const privateKey = (): string =>
    (kept ??= persistentText(dataDir, 'vonage-private-key.pem', () =>
      generateKeyPairSync('rsa', { modulusLength: KEY_BITS })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString(),
    ));
  const secret = persistentSecret(dataDir, 'vonage-signature-secret');
  const signatureSecret = (): string => secret().toString('base64url');
  return {
    credentials: () => ({
      apiKey: API_KEY,
      applicationId: APPLICATION_ID,
      privateKey: privateKey(),
      signatureSecret: signatureSecret(),
    }),
    isSignedIn(authorization, nowMs) {
      const [, head = '', body = '', signature = ''] =
        /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization ?? '') ?? [];
      const { application_id: id, iat, exp, jti } = readPart(body);
      return (
        readPart(head)['alg'] === 'RS256' &&
        verify(
          'sha256',
          Buffer.from(`${head}.${body}`),
          createPublicKey(privateKey()),
          Buffer.from(signature, 'base64url'),
        ) &&
        id === APPLICATION_ID &&
        typeof iat === 'number' &&
        typeof jti === 'string' &&
        typeof exp === 'number' &&
        exp * 1000 > nowMs
      );
    },
    signCallback(body, { id, nowMs }) {
      const claims = {
        iat: Math.floor(nowMs / 1000),
        jti: id,
        iss: 'Vonage',
        payload_hash: createHash('sha256').update(body).digest('hex'),
        api_key: API_KEY,
        application_id: APPLICATION_ID,
      };
      const text = [{ alg: 'HS256', typ: 'JWT' }, claims]
        .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
        .join('.');
      return `Bearer ${text}.${createHmac('sha256', signatureSecret()).update(text).digest('base64url')}`;
    },
  };
}

function readPart(part: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
