import type { SecretBox } from '@tidings/platform';
import type { EncryptedTable } from '@tidings/postgres/reencrypt-secrets';
import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

type EndpointOfApplication = { readonly applicationId: string; readonly endpointId: string };

/** A secret in the format of Standard Webhooks. */
export const newWebhookSecret = (): string =>
  `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/**
 * Binds the encrypted secrets of an endpoint to their row: secrets copied to another row cannot be
 * decrypted.
 */
const webhookSecretContext = ({ applicationId, endpointId }: EndpointOfApplication): string =>
  `${applicationId}|webhook|${endpointId}`;

export const ENCRYPTED_WEBHOOK_TABLE: EncryptedTable = {
  table: 'webhook_endpoints',
  part: 'id::text',
  contextOf: ({ applicationId, part }) => webhookSecretContext({ applicationId, endpointId: part }),
};

/** Encrypts the secrets of an endpoint, newest first, for storage. */
export function encryptWebhookSecrets(
  box: SecretBox,
  endpoint: EndpointOfApplication,
  secrets: readonly string[],
): string {
  return box.seal(JSON.stringify(secrets), webhookSecretContext(endpoint));
}

/** Null when another ENCRYPTION_KEY encrypted them, or they were copied from another row. */
export function decryptWebhookSecrets(
  box: SecretBox,
  endpoint: EndpointOfApplication,
  encrypted: string,
): readonly string[] | null {
  try {
    return JSON.parse(box.open(encrypted, webhookSecretContext(endpoint))) as string[];
  } catch {
    return null;
  }
}
