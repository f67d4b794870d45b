import type { SecretBox } from '@tidings/platform';
import type { EncryptedTable } from '@tidings/postgres/reencrypt-secrets';
import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

type EndpointOfApplication = { readonly applicationId: string; readonly endpointId: string };

/** A secret as the Standard Webhooks write it. */
export const newWebhookSecret = (): string =>
  `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Which row sealed secrets of an endpoint stand in. */
export const webhookSecretContext = ({
  applicationId,
  endpointId,
}: EndpointOfApplication): string => `${applicationId}|webhook|${endpointId}`;

export const ENCRYPTED_WEBHOOK_TABLE: EncryptedTable = {
  table: 'webhook_endpoints',
  part: 'id::text',
  contextOf: ({ applicationId, part }) => webhookSecretContext({ applicationId, endpointId: part }),
};

/** The live secrets of an endpoint, the newest first, as they are stored. */
export function encryptWebhookSecrets(
  box: SecretBox,
  endpoint: EndpointOfApplication,
  secrets: readonly string[],
): string {
  return box.seal(JSON.stringify(secrets), webhookSecretContext(endpoint));
}

/** Null when another ENCRYPTION_KEY sealed them, or they stood in another row. */
export function decryptWebhookSecrets(
  box: SecretBox,
  endpoint: EndpointOfApplication,
  sealed: string,
): readonly string[] | null {
  try {
    return JSON.parse(box.open(sealed, webhookSecretContext(endpoint))) as string[];
  } catch {
    return null;
  }
}
