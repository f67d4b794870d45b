import type { SendResult } from '../channel.ts';

/**
 * What one send result says about its account: it works (also if it rejected one recipient), its
 * provider fails, it limits the rate, its settings are wrong, or nothing.
 */
export type HealthSignal = 'works' | 'failing' | 'limited' | 'misconfigured' | 'nothing';

export function toHealthSignal(result: SendResult): HealthSignal {
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
      // An invalid result says nothing about the provider.
      result satisfies never;
      return 'nothing';
  }
}
