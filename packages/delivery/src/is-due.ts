import { isWrittenAhead } from '@tidings/postgres/written-ahead';

/** SQL of the claimed rows `d`, deliveries or addresses of them, whose claim has ended: taking it over is safe at any time. */
export const IS_CLAIM_OVER = `(d.state = 'claimed' and (d.lease_until < now() or ${isWrittenAhead('d.updated_at')}))`;

/** SQL of the rows `d`, deliveries or addresses of them, that may be claimed; nobody claims what may have been sent. */
export const IS_DUE = `((d.state in ('pending', 'retry_wait') and (d.next_at <= now() or ${isWrittenAhead('d.updated_at')})) or ${IS_CLAIM_OVER})`;
