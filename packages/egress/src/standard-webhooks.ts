import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
/** As the Standard Webhooks scheme bounds it. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Whether `text` is a secret of the scheme: `whsec_` and 24 to 64 bytes in base64. */
export function isWebhookSecret(text: string): boolean {
  if (!text.startsWith(SECRET_PREFIX) || !BASE64.test(text.slice(SECRET_PREFIX.length))) return false;
  const { length } = keyOf(text);
  return length >= SECRET_BYTES_MIN && length <= SECRET_BYTES_MAX;
}

/**
 * The three headers that sign a hook by the Standard Webhooks scheme. With several secrets, as while one replaces
 * another, there is a signature by each, and whoever knows any of them can verify.
 * `timestampSeconds` is the time of this attempt: receivers refuse what is older than some minutes.
 */
export function signWebhook(
  secrets: string | readonly string[],
  { id, timestampSeconds, body }: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
): Readonly<Record<string, string>> {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = [secrets].flat().map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`);
  return { 'webhook-id': id, 'webhook-timestamp': String(timestampSeconds), 'webhook-signature': signatures.join(' ') };
}

function keyOf(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}
