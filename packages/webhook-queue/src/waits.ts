import type { Database } from '@tidings/postgres/database';
import { WAITING_ENDPOINTS } from './queue.ts';

/** How long an enabled endpoint with waiting webhooks has been behind: it fails, or leaves its oldest due webhook waiting. */
export type EndpointBehind = {
  readonly applicationId: string;
  readonly endpointId: string;
  readonly seconds: number;
};

/**
 * The longest time, in seconds, that a due webhook waited while the service attempted nothing for its endpoint; 0 when none waits.
 * An endpoint that is slow or fails is attempted all the time, so that its backlog does not count.
 */
export async function longestWebhookWait(db: Database): Promise<number> {
  const { rows } = await db.sql.query<{ seconds: number }>(
    `with recursive ${WAITING_ENDPOINTS}
     select coalesce(max(extract(epoch from now() - greatest(d.next_at, e.attempted_at))), 0)::float8 as seconds from waiting w
     join webhook_endpoints e on e.id = w.endpoint_id and e.status = 'enabled'
     cross join lateral (
       select next_at from webhook_deliveries where endpoint_id = e.id and state = 'pending' and next_at <= now() order by next_at limit 1) d`,
  );
  return Math.max(0, rows[0]?.seconds ?? 0);
}

/** The endpoints that are behind for longer than `minSeconds`, the longest first. */
export async function endpointsBehind(
  db: Database,
  { minSeconds, limit }: { readonly minSeconds: number; readonly limit: number },
): Promise<EndpointBehind[]> {
  const { rows } = await db.sql.query<EndpointBehind>(
    `with recursive ${WAITING_ENDPOINTS}
     select e.application_id as "applicationId", e.id as "endpointId", extract(epoch from now() - b.since)::float8 as seconds
     from waiting w
     join webhook_endpoints e on e.id = w.endpoint_id and e.status = 'enabled'
     left join lateral (
       select next_at from webhook_deliveries where endpoint_id = e.id and state = 'pending' and next_at <= now() order by next_at limit 1) d on true
     cross join lateral (select least(d.next_at, e.failing_since) as since) b
     where b.since < now() - $1::float8 * interval '1 s'
     order by b.since, e.id limit $2`,
    [minSeconds, limit],
  );
  return rows;
}
