/** SQL of the rows `d`, deliveries or addresses of them, that may be claimed; nobody claims what may have been sent. */
export const IS_DUE = `((d.state in ('pending', 'retry_wait') and d.next_at <= now()) or (d.state = 'claimed' and d.lease_until < now()))`;
