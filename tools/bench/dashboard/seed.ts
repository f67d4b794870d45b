import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { inSteps } from '../rows/in-steps.ts';
import type { Sizes } from './sizes.ts';

export type Seeded = {
  readonly campaignId: string;
  /** A user with far more events than others. */
  readonly heavyUser: string;
  readonly userOf: (index: number) => string;
  readonly requestIds: readonly string[];
  readonly slugs: readonly string[];
};

const MESSAGES_PER_REQUEST = 10;
const REQUESTS_PER_STATEMENT = 10_000;
const DEFINITIONS = 50;
/** Time span of the generated requests. */
const HOURS = 10;
const HEAVY_EVENTS_MAX = 50_000;
/** Tables whose statistics the queries need. */
const ANALYZED = [
  'users',
  'deliveries',
  'campaign_counters',
  'events',
  'receipts',
  'ingest_requests',
  'duplicate_keys',
  'refused_requests',
  'definition_hours',
  'event_quarters',
  'ingest_minutes',
];

/** Generates all rows with SQL, as the services would have stored them. */
export async function seed(db: Database, applicationId: string, sizes: Sizes): Promise<Seeded> {
  const userOf = (index: number): string => `user-${String(index).padStart(8, '0')}`;
  const campaignId = systemIds.uuid();
  const slugs = Array.from(
    { length: DEFINITIONS },
    (_, index) => `s${String(index).padStart(4, '0')}`,
  );
  console.error(`${sizes.deliveries} users …`);
  await inSteps(sizes.deliveries, (from, to) => db.sql.query(USERS, [applicationId, from, to]));
  console.error(`${sizes.deliveries} deliveries …`);
  await db.sql.query(CAMPAIGN, [campaignId, applicationId, sizes.deliveries, systemIds.uuid()]);
  await inSteps(sizes.deliveries, (from, to) =>
    db.sql.query(DELIVERIES, [campaignId, applicationId, from, to]),
  );
  await db.sql.query(COUNTERS, [campaignId]);
  console.error(`${sizes.events} events …`);
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin) select $1, slug, 'action', 'name of ' || slug, 'auto' from unnest($2::text[]) as x(slug)`,
    [applicationId, slugs],
  );
  const heavy = Math.min(HEAVY_EVENTS_MAX, Math.floor(sizes.events / 4));
  await inSteps(
    Math.ceil(sizes.events / MESSAGES_PER_REQUEST),
    (from, to) =>
      db.sql.query(EVENTS, [
        applicationId,
        from,
        to,
        sizes.deliveries,
        heavy,
        sizes.events,
        slugs,
        HOURS,
        userOf(0),
      ]),
    REQUESTS_PER_STATEMENT,
  );
  await db.sql.query(REFUSALS, [applicationId]);
  console.error('statistics …');
  for (const table of ANALYZED) await db.sql.query(`vacuum analyze ${table}`);
  const { rows } = await db.sql.query<{ request_id: string }>(
    'select request_id from ingest_requests where application_id = $1 order by received_at limit 200',
    [applicationId],
  );
  return {
    campaignId,
    heavyUser: userOf(0),
    userOf,
    requestIds: rows.map((row) => row.request_id),
    slugs,
  };
}

const USERS = `
  insert into users (id, application_id, custom_user_id, registered_at, fields, clocks)
  select uuidv7(), $1, 'user-' || lpad(n::text, 8, '0'), now(), jsonb_build_object('email', 'user-' || n || '@people.example'), jsonb_build_object('fields', jsonb_build_object('email', jsonb_build_array(1760000000000, 'u' || n)))
  from generate_series($2::int, $3::int) as n`;

const CAMPAIGN = `
  insert into campaigns (id, application_id, channel, lane, purpose, source, status, message, recipients_requested, recipients_unique, created_by, request_id, created_at, expires_at, started_at, expanded_at, completed_at, p50_ms, p95_ms)
  values ($1, $2, 'EMAIL', 'bulk', 'transactional', 'api', 'completed', '{"title": "Hello", "body": "<p>Hello</p>"}', $3, $3, 'key:Bench', $4, now() - interval '1 hour', now() + interval '3 days', now() - interval '1 hour', now() - interval '1 hour', now(), 900000, 1700000)`;

/**
 * Most are sent, some opened, one in twenty failed. One failure reason is spread over all
 * recipients, another is in the last third.
 */
const DELIVERIES = `
  insert into deliveries (campaign_id, chunk_no, application_id, channel, custom_user_id, user_id, state, reason, attempts, provider_code, sent_at)
  select $1, n / 200, $2, 'EMAIL', u.custom_user_id, u.id,
         case when n % 20 = 7 then 'failed' when n % 4 = 0 then 'opened' when n % 4 = 1 then 'delivered' when n % 1000 = 3 then 'unknown' else 'sent' end,
         case when n % 20 <> 7 then null when n % 50000 = 7 then 'payload_too_large' else 'provider_rejected' end,
         1, '250', now() - interval '30 minutes'
  from generate_series($3::int, $4::int) as n
  join users u on u.application_id = $2 and u.custom_user_id = 'user-' || lpad(n::text, 8, '0')`;

const COUNTERS = `
  insert into campaign_counters (campaign_id, state, reason, shard, n, first_at, last_at)
  select campaign_id, state, case when state = 'failed' then reason else '' end, 0, count(*), min(created_at), max(created_at) from deliveries where campaign_id = $1 group by 1, 2, 3`;

/**
 * Requests of ten messages each; one message in fifty is not stored. A few users have most events,
 * the first a great many. Every other request has the receipts that the version before derived
 * receipts wrote.
 */
const EVENTS = `
  with requests as materialized (
    select n, uuidv7() as request_id, date_trunc('milliseconds', now() - $8::float8 * interval '1 hour' * (1 - n::float8 / greatest(1, $6::float8 / 10))) as received_at from generate_series($2::int, $3::int) as n),
  taken as (
    insert into ingest_requests (request_id, application_id, received_at, message_count, taken_by_users, taken_by_events)
    select request_id, $1, received_at, 10, true, true from requests),
  messages as materialized (
    select r.*, i, n::bigint * 10 + i as no, n * 10 + i < $5::int as is_heavy,
           case when n * 10 + i < $5::int then $9::text else 'user-' || lpad(((n::bigint * 7919 + i * 104729) % $4::int)::text, 8, '0') end as custom_user_id
    from requests r cross join generate_series(0, 9) as i),
  known as materialized (
    select m.*, u.id as user_id, case when m.no % 50 = 9 then 'unknown_slug' when m.no % 50 = 10 then 'duplicate_id' end as reason
    from messages m join users u on u.application_id = $1 and u.custom_user_id = m.custom_user_id),
  receipted as (
    insert into receipts (request_id, message_index, application_id, message_id, type, outcome, reason, user_id, received_at)
    select request_id, i, $1, 'm' || no, 'action', case reason when 'unknown_slug' then 'dropped' when 'duplicate_id' then 'duplicate' else 'stored' end, reason, user_id, received_at from known
    where reason is not null or n % 2 = 0),
  keyed as (
    insert into duplicate_keys (id_key, request_id, message_index, received_at)
    select duplicate_key($1::uuid || ':server:m' || no), request_id, i, received_at from known where reason is null)
  insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes)
  select request_id, i, $1, user_id, 'm' || no, 'action', ($7::text[])[1 + no % cardinality($7::text[])], 1760000000000 + no, received_at, '{"price": 9.9, "product": "a thing"}'
  from known where reason is null`;

const REFUSALS = `
  insert into refused_requests (request_id, application_id, received_at, path, status, code, key_id, address, errors)
  select uuidv7(), $1, now() - n * interval '7 seconds', '/', case when n % 5 = 0 then 403 else 400 end, case when n % 5 = 0 then 'ip_not_allowed' else 'validation_failed' end, uuidv7(),
         case when n % 5 = 0 then '203.0.113.' || n % 200 end, '[{"pointer": "/messages/0/time", "code": "wrong_type"}]'
  from generate_series(1, 5000) as n`;
