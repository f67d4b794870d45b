import { createHash } from 'node:crypto';

/** The id of the demonstration device that is reached by this subscription or token: the same after a restart, with nothing to keep. */
export function deviceIdOf(address: string): string {
  return `sandbox-${createHash('sha256').update(address).digest('base64url').slice(0, 22)}`;
}

/** What is known of a push by its address alone: a browser's is the last part of its endpoint, a phone's the token. */
export function pushAddressOf(to: string): string {
  return to.slice(to.lastIndexOf('/') + 1);
}
