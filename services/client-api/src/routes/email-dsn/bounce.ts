import type { DeliveryReason } from '@tidings/contracts';
import type { MailReport } from './report.ts';

type Bounce = Extract<MailReport, { type: 'bounce' }>;

/** The effect of a bounce report on a delivery. `isHard`: the address is invalid for good. */
export type BounceClass =
  | { readonly kind: 'arrived' }
  /** Delayed: the mail server is still retrying. */
  | { readonly kind: 'soft' }
  | { readonly kind: 'failed'; readonly reason: DeliveryReason; readonly isHard: boolean };

/**
 * RFC 3463 codes: the mailbox does not exist or accepts no mail. Codes about the sender's address
 * are not included.
 */
const INVALID_MAILBOX = new Set([
  '5.1.0',
  '5.1.1',
  '5.1.2',
  '5.1.3',
  '5.1.4',
  '5.1.6',
  '5.1.10',
  '5.2.1',
]);
const TOO_BIG = new Set(['5.2.3', '5.3.4']);

/**
 * A server that gives up has not delivered the mail, for codes of both classes (4.x and 5.x). Only
 * codes about the mailbox itself suppress the address: a full mailbox empties, and a policy
 * rejection is about the message.
 */
export function classifyBounce({ action, status }: Bounce): BounceClass {
  if (action === 'arrived') return { kind: 'arrived' };
  if (action === 'delayed') return { kind: 'soft' };
  if (INVALID_MAILBOX.has(status))
    return { kind: 'failed', reason: 'invalid_address', isHard: true };
  if (TOO_BIG.has(status)) return { kind: 'failed', reason: 'payload_too_large', isHard: false };
  return {
    kind: 'failed',
    reason:
      status.startsWith('4.') || status === '5.2.2' ? 'provider_unavailable' : 'provider_rejected',
    isHard: false,
  };
}
