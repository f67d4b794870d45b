import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

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
