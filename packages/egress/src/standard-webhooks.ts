import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const SECRET_PREFIX = 'whsec_';
const KEYS_MAX = 1_000;

/**
 * Cached key objects: from bytes, Node would create a key per signature, at three times the cost.
 */
const keys = new LRUCache<string, KeyObject>({ max: KEYS_MAX });

/**
 * The three headers of the Standard Webhooks scheme. With several secrets, as during a rotation,
 * there is one signature per secret, and a receiver with any of them can verify.
 * `timestampSeconds` is the time of this attempt: receivers reject attempts older than some
 * minutes.
 */
export function signWebhook(
  secrets: string | readonly string[],
  {
    id,
    timestampSeconds,
    body,
  }: { readonly id: string; readonly timestampSeconds: number; readonly body: string },
): Readonly<Record<string, string>> {
  const signed = `${id}.${timestampSeconds}.${body}`;
  const signatures = [secrets]
    .flat()
    .map(
      (secret) => `v1,${createHmac('sha256', parseKey(secret)).update(signed).digest('base64')}`,
    );
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signatures.join(' '),
  };
}

function parseKey(secret: string): KeyObject {
  const key =
    keys.get(secret) ?? createSecretKey(Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'));
  keys.set(secret, key);
  return key;
}
