import type { DeliveryReason } from '@tidings/contracts';
import type { MailReport } from './report.ts';

type Bounce = Extract<MailReport, { type: 'bounce' }>;

/** What a report makes of a delivery: nothing yet, or a failure, of the address for good or of this message alone. */
export type BounceClass =
  | { readonly kind: 'arrived' }
  /** Not delivered yet; the server tries on. */
  | { readonly kind: 'soft' }
  | { readonly kind: 'failed'; readonly reason: DeliveryReason; readonly isHard: boolean };

/** RFC 3463: nobody has this mailbox, or nobody may write to it. Those of the sender's own address are none of it. */
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
 * A server that gives up has not delivered the mail, whatever class its reason is of. Only what is said of the mailbox itself
 * ends all mail to it: a full one empties, and a policy is about the message.
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
