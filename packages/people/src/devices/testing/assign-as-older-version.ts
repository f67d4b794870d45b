import type { Sql } from '@tidings/postgres/database';
import type { DeviceRef } from '../devices.ts';

/** Assigns a device as versions without proofs did: at log-out, or to a person that it named. */
export async function giveAsOlderVersion(
  sql: Sql,
  { applicationId, deviceId, userId }: DeviceRef & { readonly userId: string },
): Promise<void> {
  await sql.query(
    'update devices set user_id = $3, seen_at = now() where application_id = $1 and device_id = $2',
    [applicationId, deviceId, userId],
  );
}

/** Registers a device without a subscription, as versions without proofs did. */
export async function writeAsOlderVersion(
  sql: Sql,
  { applicationId, deviceId, userId }: DeviceRef & { readonly userId: string },
): Promise<void> {
  await sql.query(
    `with taken as (
       update devices set address = null, address_hash = null
       where application_id = $1 and address_hash = $6 and device_id <> $2 returning device_id),
     written as (
       insert into devices as d (application_id, device_id, user_id, kind, address, address_hash, time_zone, locale)
       select $1, $2, $3, $4, $5, $6, $7, $8 from (select count(*) from taken) t
       on conflict (application_id, device_id) do update
         set user_id = excluded.user_id, kind = excluded.kind, address = excluded.address, address_hash = excluded.address_hash,
             time_zone = case when $9 then excluded.time_zone else d.time_zone end,
             locale = case when $10 then excluded.locale else d.locale end, seen_at = now())
     select device_id from taken`,
    [applicationId, deviceId, userId, 'none', null, null, null, null, false, false],
  );
}
