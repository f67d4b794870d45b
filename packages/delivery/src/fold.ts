import { groupOf } from './counting.ts';

/**
 * A delivery to several addresses is what the best of them is, from the first of these on: sent if any was, else pending
 * while any is unsettled. What was canceled or expired ended the rest, so that comes before failures.
 */
export const FOLD_ORDER = ['sent', 'pending', 'unknown', 'canceled', 'expired', 'failed'] as const;

const RANK = `array_position(array[${FOLD_ORDER.map((state) => `'${state}'`).join(', ')}], ${groupOf('state')})`;

/**
 * SQL of what deliveries are, of a table of all their addresses: each shows the best, and of equals the first; attempts
 * are those of all.
 */
export const foldOf = (addresses: string): string =>
  `select distinct on (delivery_id) delivery_id, ${groupOf('state')} as state, reason, coalesce(provider_id, max(provider_id) over own) as provider_id, provider_code, provider_message,
     sum(attempts) over own as attempts, max(doubts) over own as doubts
   from ${addresses} window own as (partition by delivery_id) order by delivery_id, ${RANK}, address_no`;
