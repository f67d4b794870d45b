import { CHANNELS } from '@tidings/contracts/channels/channels';
import type { Database } from '@tidings/postgres/database';
import { inSteps } from '../rows/in-steps.ts';
import type { Sizes } from './sizes.ts';

/** Days of the events. */
const DAYS = 90;
const USERS_PER_STEP = 100_000;
const EVENTS_PER_STEP = 500_000;

/** Definitions with their share of the events, in percent. */
const DEFINITIONS = [
  ['viewed', 'action', 40],
  ['logged_in', 'action', 12],
  ['checkout', 'action', 8],
  ['searched', 'action', 8],
  ['cart_filled', 'action', 6],
  ['ordered', 'revenue', 3],
  ...Array.from({ length: 9 }, (_, index) => [`other_${index}`, 'action', 2.6] as const),
] as const;

/**
 * Writes users and their events of 90 days, as the services would have stored them. Activity
 * follows a power law: the first user has the most events.
 */
export async function seed(
  db: Database,
  applicationId: string,
  { users, events }: Pick<Sizes, 'users' | 'events'>,
): Promise<void> {
  console.error(`${users} users …`);
  await inSteps(
    users,
    (from, to) => db.sql.query(USERS, [applicationId, from, to]),
    USERS_PER_STEP,
  );
  await db.sql.query(CHANNELS_READY, [applicationId, CHANNELS]);
  await db.sql.query(DEVICES, [applicationId]);
  await db.sql.query(SUPPRESSIONS, [applicationId]);
  await db.sql.query('vacuum analyze users, devices, suppressions');
  await db.sql.query(
    `insert into definitions (application_id, slug, kind, name, origin)
     select $1, slug, kind, slug, 'auto' from unnest($2::text[], $3::text[]) as x(slug, kind)`,
    [applicationId, DEFINITIONS.map(([slug]) => slug), DEFINITIONS.map(([, kind]) => kind)],
  );
  await db.sql.query(
    `select make_partitions('events', interval '1 month', ${Math.ceil(DAYS / 28)}, now() - interval '${DAYS} days')`,
  );
  const createIndexes = await dropIndexes(db);
  console.error(`${events} events …`);
  const shares = DEFINITIONS.map(([, , share]) => share);
  const bounds = shares.map((_, index) =>
    shares.slice(0, index).reduce((sum, one) => sum + one, 0),
  );
  await inSteps(
    events,
    (from, to) =>
      db.sql.query(EVENTS, [
        applicationId,
        from,
        to,
        users,
        events,
        DEFINITIONS.map(([slug]) => slug),
        bounds,
      ]),
    EVENTS_PER_STEP,
  );
  console.error('indexes and statistics …');
  for (const create of createIndexes) await db.sql.query(create);
  await db.sql.query('vacuum analyze events');
}

/** Drops the indexes of events, which are built faster at the end. Returns how to create them. */
async function dropIndexes(db: Database): Promise<readonly string[]> {
  const { rows } = await db.sql.query<{ name: string; create: string }>(
    `select i.indexrelid::regclass::text as name,
       replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as create
     from pg_index i where i.indrelid = 'events'::regclass and not i.indisprimary`,
  );
  for (const { name } of rows) await db.sql.query(`drop index ${name}`);
  return rows.map(({ create }) => create);
}

/** Counts say whom each channel reaches, so all of them send. */
const CHANNELS_READY = `
  insert into channel_settings (application_id, channel, settings, status)
  select $1, channel, '{}', 'ready' from unnest($2::text[]) as channel
  on conflict (application_id, channel) do update set status = 'ready'`;

/** One user in five has a device. */
const DEVICES = `
  insert into devices (application_id, device_id, user_id, kind, address, address_hash, proved_user_id, user_id_at_proof)
  select application_id, 'd-' || custom_user_id, id, case when n % 2 = 0 then 'fcm' else 'web_push' end,
         'address of ' || custom_user_id, sha256(convert_to(custom_user_id, 'UTF8')), id, id
  from (select *, substring(custom_user_id from 6)::int as n from users
        where application_id = $1 and custom_user_id like 'user-%') u
  where n % 5 < 1`;

/** One user in fifty took back the consent to e-mails, or could not be reached. */
const SUPPRESSIONS = `
  insert into suppressions (application_id, channel, address, reason)
  select application_id, 'EMAIL', email_key, case when n % 100 = 0 then 'unsubscribed' else 'suppressed_bounce' end
  from (select *, substring(custom_user_id from 6)::int as n from users
        where application_id = $1 and custom_user_id like 'user-%') u
  where n % 50 = 0`;

/**
 * One in four in Germany, one in seven without a country, every second with a phone number; plan
 * and score are independent of it.
 */
const USERS = `
  insert into users (id, application_id, custom_user_id, registered_at, fields, custom_attributes, clocks, phone_e164)
  select uuidv7(), $1, 'user-' || lpad(n::text, 8, '0'), now(),
         jsonb_strip_nulls(jsonb_build_object(
           'email', 'user-' || n || '@people.example', 'firstName', 'Ada', 'lastName', 'Lovelace', 'city', 'London',
           'phoneNumber', case when n % 2 = 0 then '0151 ' || lpad(n::text, 8, '0') end,
           'country', case when n % 20 < 3 then null when n % 4 = 3 then 'DE' else 'FR' end)),
         jsonb_build_object('plan', case when n % 5 = 0 then 'pro' else 'free' end, 'score', n % 1000,
           'visits', n % 77, 'company', 'Analytical Engines', 'source', 'newsletter', 'isVerified', n % 2 = 0),
         jsonb_build_object('fields', jsonb_build_object(
           'email', jsonb_build_array(1760000000000, 'u' || n), 'firstName', jsonb_build_array(1760000000000, 'u' || n),
           'lastName', jsonb_build_array(1760000000000, 'u' || n), 'city', jsonb_build_array(1760000000000, 'u' || n),
           'country', jsonb_build_array(1760000000000, 'u' || n))),
         case when n % 2 = 0 then '+49151' || lpad(n::text, 8, '0') end
  from generate_series($2::int, $3::int) as n`;

/** Numbers of an event come from hashes of it, so every run has the same ones. */
const EVENTS = `
  with drawn as materialized (
    select n,
           abs(hashint8extended(n, 1) % 1000000) / 1000000.0 as who,
           abs(hashint8extended(n, 2) % 1000000) / 10000.0 as what,
           abs(hashint8extended(n, 3) % 30000) / 100.0 as price,
           now() - interval '${DAYS} days' * (1 - n::float8 / $5::float8) as at
    from generate_series($2::bigint, $3::bigint) as n)
  insert into events (request_id, message_index, application_id, user_id, message_id, type, slug, time, received_at, attributes, revenue, currency)
  select uuidv7(), 0, $1, u.id, 'm' || n,
         case when slug = 'ordered' then 'revenue' else 'action' end, slug,
         (extract(epoch from at) * 1000)::bigint, at,
         case when slug = 'ordered' then null else jsonb_build_object('price', price, 'product', 'a thing') end,
         case when slug = 'ordered' then price end,
         case when slug = 'ordered' then case when n % 4 = 0 then 'USD' else 'EUR' end end
  from drawn
  cross join lateral (select ($6::text[])[width_bucket(what, $7::float8[])] as slug) named
  join users u on u.application_id = $1
    and u.custom_user_id = 'user-' || lpad(floor($4::int * who * who)::int::text, 8, '0')`;
