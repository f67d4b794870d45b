import type { DeviceKind } from '@tidings/contracts';
import { createHash } from 'node:crypto';
import type { Database, Sql } from '../database.ts';

/** An installation of the SDK. Its id is the application's own, and all that it has to show. */
export type DeviceRef = { readonly applicationId: string; readonly deviceId: string };

export type Device = DeviceRef & {
  /** Whose it is now: of an anonymous user that turned out to be somebody, the person. */
  readonly userId: string;
  /** Null while nobody has proved who uses it. */
  readonly customUserId: string | null;
  /** The id that its own messages carry. */
  readonly serviceUserId: string;
  readonly kind: DeviceKind;
  /** A subscription as JSON, or a token; null where it is not reached, or not any more. */
  readonly address: string | null;
  readonly timeZone: string | null;
  readonly locale: string | null;
  readonly createdAt: number;
  readonly seenAt: number;
};

type DeviceRow = {
  readonly application_id: string;
  readonly device_id: string;
  readonly user_id: string;
  readonly custom_user_id: string | null;
  readonly service_user_id: string;
  readonly kind: DeviceKind;
  readonly address: string | null;
  readonly time_zone: string | null;
  readonly locale: string | null;
  readonly created_at: Date;
  readonly seen_at: Date;
};

/** SQL: devices `d` with whose they are; a device whose user was deleted is none. */
const DEVICES = `
  select d.application_id, d.device_id, coalesce(p.id, u.id) as user_id, coalesce(p.custom_user_id, u.custom_user_id) as custom_user_id,
         i.service_user_id, d.kind, d.address, d.time_zone, d.locale, d.created_at, d.seen_at
  from devices d
  join users u on u.id = d.user_id
  left join users p on p.id = u.merged_into
  cross join lateral (select service_user_id from user_identities where user_id = d.user_id order by created_at, service_user_id limit 1) i`;

/** A device of this application and whose it is now, or null: only of that user it reads and confirms anything. */
export async function readDevice(sql: Sql, { applicationId, deviceId }: DeviceRef): Promise<Device | null> {
  const { rows } = await sql.query<DeviceRow>(`${DEVICES} where d.application_id = $1 and d.device_id = $2`, [applicationId, deviceId]);
  return rows[0] === undefined ? null : toDevice(rows[0]);
}

/** All devices of a user, those of its anonymous past included, the one seen last first. */
export async function listUserDevices(db: Database, userId: string): Promise<Device[]> {
  const { rows } = await db.sql.query<DeviceRow>(
    `${DEVICES} where d.user_id in (select id from users where id = $1 union all select id from users where merged_into = $1)
     order by d.seen_at desc, d.device_id`,
    [userId],
  );
  return rows.map(toDevice);
}

/** What a device says of itself; what is undefined stays as it is. */
export type DeviceFacts = {
  readonly kind: DeviceKind;
  readonly address: DeviceAddress | null;
  readonly timeZone?: string | null;
  readonly locale?: string | null;
};

/** `identity` is the one part that tells the place from any other: a subscription's endpoint, or the token. */
export type DeviceAddress = { readonly text: string; readonly identity: string };

/**
 * Writes a device. An address that another device of the application has is taken from it in the same statement: one
 * place is one device, and whoever registers it last has it. Returns the ids of devices that lost theirs. @callers db
 */
export async function writeDevice(sql: Sql, { applicationId, deviceId, userId, facts }: DeviceRef & { readonly userId: string; readonly facts: DeviceFacts }): Promise<string[]> {
  const { kind, address, timeZone, locale } = facts;
  const { rows } = await sql.query<{ device_id: string }>(
    `with taken as (
       update devices set address = null, address_hash = null
       where application_id = $1 and address_hash = $6 and device_id <> $2 returning device_id),
     written as (
       insert into devices as d (application_id, device_id, user_id, kind, address, address_hash, time_zone, locale)
       -- To count what is taken makes it be taken first.
       select $1, $2, $3, $4, $5, $6, $7, $8 from (select count(*) from taken) t
       on conflict (application_id, device_id) do update
         set user_id = excluded.user_id, kind = excluded.kind, address = excluded.address, address_hash = excluded.address_hash,
             time_zone = case when $9 then excluded.time_zone else d.time_zone end,
             locale = case when $10 then excluded.locale else d.locale end, seen_at = now())
     select device_id from taken`,
    [applicationId, deviceId, userId, kind, address?.text ?? null, address && hashOf(address), timeZone ?? null, locale ?? null, timeZone !== undefined, locale !== undefined],
  );
  return rows.map((row) => row.device_id);
}

/** Gives a device to another user; nothing else of it changes. @callers db */
export async function giveDevice(sql: Sql, { applicationId, deviceId, userId }: DeviceRef & { readonly userId: string }): Promise<void> {
  await sql.query('update devices set user_id = $3, seen_at = now() where application_id = $1 and device_id = $2', [applicationId, deviceId, userId]);
}

/** @callers db */
export async function removeDevice(sql: Sql, { applicationId, deviceId }: DeviceRef): Promise<void> {
  await sql.query('delete from devices where application_id = $1 and device_id = $2', [applicationId, deviceId]);
}

/**
 * Deletes up to `limit` devices that were not seen since `before` and have no address any more, or are of nobody who is
 * known. Those of known users stay while they can be reached. How many. @callers events-consumer
 */
export async function forgetUnseenDevices(sql: Sql, { before, limit }: { readonly before: Date; readonly limit: number }): Promise<number> {
  const { rowCount } = await sql.query(
    `delete from devices where (application_id, device_id) in (
       select d.application_id, d.device_id from devices d left join users u on u.id = d.user_id
       where d.seen_at < $1 and (d.address is null or u.id is null or (u.merged_into is null and u.custom_user_id is null))
       order by d.seen_at limit $2 for update of d skip locked)`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** Deletes the devices of users who are being deleted. @callers db */
export async function forgetDevicesOf(sql: Sql, userIds: readonly string[]): Promise<void> {
  await sql.query('delete from devices where user_id = any($1)', [userIds]);
}

function hashOf({ identity }: DeviceAddress): Buffer {
  return createHash('sha256').update(identity).digest();
}

function toDevice(row: DeviceRow): Device {
  return {
    applicationId: row.application_id,
    deviceId: row.device_id,
    userId: row.user_id,
    customUserId: row.custom_user_id,
    serviceUserId: row.service_user_id,
    kind: row.kind,
    address: row.address,
    timeZone: row.time_zone,
    locale: row.locale,
    createdAt: row.created_at.getTime(),
    seenAt: row.seen_at.getTime(),
  };
}
