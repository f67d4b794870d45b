import type { Database } from '@tidings/postgres/database';
import { inSteps } from './in-steps.ts';

/** As a registration by the load generator stores them: the same ids, fields and identities. */
const USERS = `
  with added as (
    insert into users (id, application_id, custom_user_id, registered_at, fields, custom_attributes, clocks, phone_e164)
    select uuidv7(), $1, 'user-' || no, now(),
           jsonb_build_object('email', 'user-' || no || '@people.example', 'phoneNumber', '+49151' || no, 'firstName', 'Ada'),
           jsonb_build_object('visits', 1760000000000),
           jsonb_build_object('fields', jsonb_build_object('email', jsonb_build_array(1760000000000, 'u' || no))),
           '+49151' || no
    from (select lpad(n::text, 8, '0') as no from generate_series($2::int, $3::int) as n) as numbered
    on conflict (application_id, custom_user_id) do nothing
    returning id)
  insert into user_identities (application_id, service_user_id, user_id)
  select $1, gen_random_uuid(), id from added`;

/** Writes the users that are missing among the first `count`. */
export async function writeUsers(
  db: Database,
  { applicationId, count }: { readonly applicationId: string; readonly count: number },
): Promise<void> {
  await inSteps(count, (from, to) => db.sql.query(USERS, [applicationId, from, to]));
}
