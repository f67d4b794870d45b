import { createHmac } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';

/**
 * The headers that prove who sent a body, by the Standard Webhooks scheme: one signature for each live secret, so that
 * a receiver may know either of them while it changes to the newer one.
 */
export function signatureHeaders(input: {
  readonly id: string;
  readonly sentAtMs: number;
  readonly body: string;
  /** `whsec_` and base64. */
  readonly secrets: readonly string[];
}): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const timestamp = String(Math.floor(input.sentAtMs / 1000));
  const signatures = input.secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${input.id}.${timestamp}.${input.body}`).digest('base64')}`;
  });
  return { 'webhook-id': input.id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
