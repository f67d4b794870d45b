import { createHash } from 'node:crypto';

/** Device id derived from a subscription or token: the same after a restart, without storage. */
export function deviceIdOf(address: string): string {
  return `sandbox-${createHash('sha256').update(address).digest('base64url').slice(0, 22)}`;
}

/**
 * The address part of a push target: the last path segment of a browser's endpoint, or a phone's
 * token.
 */
export function pushAddressOf(to: string): string {
  return to.slice(to.lastIndexOf('/') + 1);
}
