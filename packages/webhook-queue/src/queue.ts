import type {
  WebhookAttempt,
  WebhookDisabledReason,
  WebhookFailureReason,
  WebhookKind,
} from '@tidings/contracts';
import type { SecretBox } from '@tidings/platform';
import { plainArray } from '@tidings/postgres/array-parameter';
import type { Database } from '@tidings/postgres/database';
import { isWrittenAhead } from '@tidings/postgres/written-ahead';
import { openWebhookSecrets } from './secrets.ts';

/** An event in the hands of one process until its lease ends; the fence tells this claim from any other. */
export type ClaimedWebhook = {
  readonly deliveryId: string;
  readonly fence: number;
  readonly endpointId: string;
  readonly applicationId: string;
  readonly url: string;
  /** The live ones, newest first; null when the key at hand does not open them. */
  readonly secrets: readonly string[] | null;
  readonly eventId: string;
  readonly type: WebhookKind;
  readonly occurredAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
  /** Attempts made before this claim. */
  readonly attempts: number;
};

/** Which endpoints to claim for, and how many of their events at most. */
export type WebhookRoom = {
  /** Only these; absent: all but those in `except`. */
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly rowsOfEndpoint: ReadonlyMap<string, number>;
  readonly rowsOfOthers: number;
  readonly rowsMax: number;
};

/**
 * SQL of the endpoints that have something to be sent, found without a look at each of their rows. In the very order of
 * the index of what waits, so that no planner thinks of another, which has the whole log in it.
 */
export const WAITING_ENDPOINTS = `waiting(endpoint_id) as (
  (select endpoint_id from webhook_deliveries where state = 'pending' order by endpoint_id, next_at limit 1)
  union all
  select (select d.endpoint_id from webhook_deliveries d where d.state = 'pending' and d.endpoint_id > w.endpoint_id
          order by d.endpoint_id, d.next_at limit 1)
  from waiting w where w.endpoint_id is not null)`;

/**
 * Takes due events, for each endpoint no more than there is room for, so that one with a long queue takes nobody's place.
 * Of what is claimed something may have been sent already by a process that was killed since: it is sent again, with
 * the same id. @callers webhooks
 */
export async function claimWebhooks(
  db: Database,
  box: SecretBox,
  room: WebhookRoom & { readonly leaseMs: number },
): Promise<ClaimedWebhook[]> {
  const { rows } = await db.sql.query<ClaimedRow>(
    `with recursive ${WAITING_ENDPOINTS},
     due as (
       select d.id, e.url, e.sealed_secrets, e.previous_secret_until from waiting w
       join webhook_endpoints e on e.id = w.endpoint_id and e.status = 'enabled'
       left join unnest($3::uuid[], $4::int[]) as r(endpoint_id, rows) on r.endpoint_id = e.id
       cross join lateral (
         select id, next_at from webhook_deliveries where endpoint_id = e.id and state = 'pending' and next_at <= now()
         order by next_at limit coalesce(r.rows, $5) for update skip locked) d
       where e.id <> all($2::uuid[]) and ($1::uuid[] is null or e.id = any($1::uuid[]))
       order by d.next_at limit $6)
     update webhook_deliveries d
     set fence = d.fence + 1, lease_until = now() + $7::float8 * interval '1 ms', next_at = now() + $7::float8 * interval '1 ms', written_at = now()
     from due where d.id = due.id
     returning d.id, d.fence, d.endpoint_id, d.application_id, due.url, due.sealed_secrets, d.event_id, d.type, d.occurred_at, d.data, d.attempts,
       coalesce(due.previous_secret_until > now(), false) as is_rotating`,
    [
      room.only === undefined ? null : plainArray(room.only),
      plainArray(room.except ?? []),
      plainArray([...room.rowsOfEndpoint.keys()]),
      plainArray([...room.rowsOfEndpoint.values()]),
      room.rowsOfOthers,
      room.rowsMax,
      room.leaseMs,
    ],
  );
  return rows.map((row) => toClaimed(row, box));
}

type ClaimedRow = {
  readonly id: string;
  readonly fence: number;
  readonly endpoint_id: string;
  readonly application_id: string;
  readonly url: string;
  readonly sealed_secrets: string;
  readonly is_rotating: boolean;
  readonly event_id: string;
  readonly type: WebhookKind;
  readonly occurred_at: Date;
  readonly data: Readonly<Record<string, unknown>>;
  readonly attempts: number;
};

function toClaimed(row: ClaimedRow, box: SecretBox): ClaimedWebhook {
  const endpoint = { applicationId: row.application_id, endpointId: row.endpoint_id };
  const secrets = openWebhookSecrets(box, endpoint, row.sealed_secrets);
  return {
    ...endpoint,
    deliveryId: row.id,
    fence: row.fence,
    url: row.url,
    secrets: secrets && secrets.slice(0, row.is_rotating ? 2 : 1),
    eventId: row.event_id,
    type: row.type,
    occurredAt: row.occurred_at,
    data: row.data,
    attempts: row.attempts,
  };
}

/** What became of a claimed event. */
export type WebhookOutcome = {
  readonly deliveryId: string;
  readonly fence: number;
  /** `put_off`: nothing was attempted. */
  readonly outcome: 'succeeded' | 'retry' | 'failed' | 'put_off';
  readonly reason?: WebhookFailureReason;
  /** For `retry` and `put_off`: when it is due again. */
  readonly delayMs?: number;
  readonly attempt?: WebhookAttempt;
  readonly answer?: string;
};

/** `attempted_at` is written again when it is older than this, so that a busy endpoint costs no update for each attempt. */
const ATTEMPTED_AT_STALE_S = 15;

export type DisabledEndpoint = {
  readonly endpointId: string;
  readonly applicationId: string;
  readonly reason: WebhookDisabledReason;
};

/**
 * Records outcomes in one statement, each where its claim still holds. An endpoint whose answer was 410 (`gone`), or that
 * has only failed for longer than `disableAfterMs`, is switched off; those are returned. @callers webhooks
 */
export async function recordWebhookOutcomes(
  db: Database,
  outcomes: readonly WebhookOutcome[],
  { disableAfterMs }: { readonly disableAfterMs: number },
): Promise<DisabledEndpoint[]> {
  if (outcomes.length === 0) return [];
  const { rows } = await db.sql.query<{
    id: string;
    application_id: string;
    reason: WebhookDisabledReason;
  }>(
    `with wanted as (
       select * from jsonb_to_recordset($1::jsonb) as x("deliveryId" uuid, fence int, outcome text, reason text, "delayMs" float8, attempt jsonb, answer text)),
     held as (
       select d.id from webhook_deliveries d join wanted w on w."deliveryId" = d.id and w.fence = d.fence
       where d.state = 'pending' order by d.id for update of d),
     recorded as (
       update webhook_deliveries d
       set state = case when w.outcome in ('succeeded', 'failed') then w.outcome else 'pending' end,
           reason = w.reason, lease_until = null,
           next_at = now() + coalesce(w."delayMs", 0) * interval '1 ms', written_at = now(),
           attempts = d.attempts + case when w.attempt is null then 0 else 1 end,
           attempt_log = case when w.attempt is null then d.attempt_log else d.attempt_log || w.attempt end,
           last_answer = coalesce(w.answer, d.last_answer),
           settled_at = case when w.outcome in ('succeeded', 'failed') then now() end
       from wanted w join held on held.id = w."deliveryId"
       where d.id = w."deliveryId"
       returning d.endpoint_id, w.outcome, w.reason),
     judged as (
       select endpoint_id, bool_or(outcome = 'succeeded') as is_well, coalesce(bool_or(reason = 'gone'), false) as is_gone
       from recorded where outcome <> 'put_off' group by 1),
     -- Most of the time nothing about the endpoint changes, and its row is left alone.
     to_change as (
       select e.id, e.failing_since, j.is_well, j.is_gone,
              j.is_gone or (not j.is_well and e.failing_since < now() - $2::float8 * interval '1 ms') as is_disabled
       from webhook_endpoints e join judged j on j.endpoint_id = e.id
       where e.status = 'enabled'
         and (j.is_gone or (j.is_well and e.failing_since is not null)
              or (not j.is_well and (e.failing_since is null or e.failing_since < now() - $2::float8 * interval '1 ms'))
              or e.attempted_at is null or e.attempted_at < now() - interval '${ATTEMPTED_AT_STALE_S} s')
       order by e.id for update of e),
     changed as (
       update webhook_endpoints e
       set failing_since = case when t.is_well then null else coalesce(t.failing_since, now()) end,
           attempted_at = now(),
           status = case when t.is_disabled then 'disabled' else e.status end,
           disabled_reason = case when t.is_gone then 'gone' when t.is_disabled then 'failing' end,
           disabled_at = case when t.is_disabled then now() end
       from to_change t where t.id = e.id
       returning e.id, e.application_id, e.disabled_reason as reason)
     select * from changed where reason is not null`,
    [JSON.stringify(outcomes), disableAfterMs],
  );
  return rows.map((row) => ({
    endpointId: row.id,
    applicationId: row.application_id,
    reason: row.reason,
  }));
}

/**
 * Gives up what waits for endpoints that are switched off or gone, save what is being sent right now; it can be replayed.
 * At most `limit`; returns how many. @callers webhooks
 */
export async function failWebhooksOfDisabled(db: Database, limit: number): Promise<number> {
  const { rowCount } = await db.sql.query(
    `with recursive ${WAITING_ENDPOINTS},
     orphans as (
       select d.id from waiting w left join webhook_endpoints e on e.id = w.endpoint_id
       cross join lateral (
         select id from webhook_deliveries where endpoint_id = w.endpoint_id and state = 'pending' and (lease_until is null or lease_until < now())
         order by next_at limit $1 for update skip locked) d
       where w.endpoint_id is not null and (e.id is null or e.status = 'disabled') limit $1)
     update webhook_deliveries d set state = 'failed', reason = 'endpoint_disabled', settled_at = now(), lease_until = null
     from orphans where d.id = orphans.id`,
    [limit],
  );
  return rowCount ?? 0;
}

/**
 * Makes due what was queued or put off while Postgres' clock was ahead; what is being sent gets its lease anew. At most
 * `limit`; returns how many. @callers webhooks
 */
export async function rescheduleWebhooksWrittenAhead(db: Database, limit: number): Promise<number> {
  const until = `now() + coalesce(d.lease_until - d.written_at, interval '0')`;
  const { rowCount } = await db.sql.query(
    `with ahead as (
       select id from webhook_deliveries where state = 'pending' and ${isWrittenAhead('written_at')}
       order by written_at limit $1 for update skip locked)
     update webhook_deliveries d
     set next_at = ${until}, lease_until = case when d.lease_until is not null then ${until} end, written_at = now()
     from ahead where d.id = ahead.id`,
    [limit],
  );
  return rowCount ?? 0;
}
