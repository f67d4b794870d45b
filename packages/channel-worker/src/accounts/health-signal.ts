import type { SendResult } from '../channel.ts';

/**
 * What one result says of the account it was sent through: it works (also when it refuses one recipient), its provider
 * fails, it wants less, its settings are wrong, or nothing was learned.
 */
export type HealthSignal = 'works' | 'failing' | 'limited' | 'misconfigured' | 'nothing';

export function healthSignalOf(result: SendResult): HealthSignal {
  if (result.isOfRecipient) return 'works';
  switch (result.status) {
    case 'sent':
    case 'permanent':
    case 'invalid_address':
      return 'works';
    case 'transient':
    case 'unknown':
      return 'failing';
    case 'rate_limited':
      return 'limited';
    case 'configuration':
      return 'misconfigured';
    case 'not_sent':
      return 'nothing';
    default:
      // What a channel should not say teaches nothing of its provider.
      result satisfies never;
      return 'nothing';
  }
}
