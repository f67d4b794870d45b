import type { DeviceKind } from '@tidings/contracts';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { createHash } from 'node:crypto';

const statement = statementsIn(import.meta.dirname);

/** An installation of the SDK. Its id is the application's own, and all that it has to show. */
export type DeviceRef = { readonly applicationId: string; readonly deviceId: string };

export type Device = DeviceRef & {
  /** Whose messages it gets: the person that it proved, else its own anonymous user. */
  readonly userId: string;
  /** The person that it proved; null while it has proved none. */
  readonly customUserId: string | null;
  /** The id that its own messages carry. */
  readonly serviceUserId: string;
  /** The person whose messages those are, proved or not; null while they are an anonymous user's. */
  readonly joinedTo: string | null;
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
  readonly joined_to: string | null;
  readonly kind: DeviceKind;
  readonly address: string | null;
  readonly time_zone: string | null;
  readonly locale: string | null;
  readonly created_at: Date;
  readonly seen_at: Date;
};

/** A device of this application and its user, or null. It reads and confirms deliveries of that user alone. */
export async function readDevice(
  sql: Sql,
  { applicationId, deviceId }: DeviceRef,
): Promise<Device | null> {
  const { rows } = await sql.query<DeviceRow>(statement('read-device'), [applicationId, deviceId]);
  return rows[0] === undefined ? null : toDevice(rows[0]);
}

/** All devices of a user, proved or not, those of its anonymous past included, the one seen last first. */
export async function listUserDevices(db: Database, userId: string): Promise<Device[]> {
  // By arrays, each of which is looked up in an index: beside a subquery an `or` reads all devices there are.
  const { rows } = await db.sql.query<DeviceRow>(statement('list-user-devices'), [userId]);
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

/** The user whose serviceUserId a device carries, and the person that it proves; without one that of before stays. */
export type DeviceUser = { readonly userId: string; readonly provedUserId: string | null };

/**
 * Writes a device. An address that another device of the application has is taken from it in the same statement: one
 * place is one device, and whoever registers it last has it. Returns the ids of devices that lost theirs. @callers people
 */
export async function writeDevice(
  sql: Sql,
  {
    applicationId,
    deviceId,
    userId,
    provedUserId,
    facts,
  }: DeviceRef & DeviceUser & { readonly facts: DeviceFacts },
): Promise<string[]> {
  const { kind, address, timeZone, locale } = facts;
  const { rows } = await sql.query<{ device_id: string }>(statement('write-device'), [
    applicationId,
    deviceId,
    userId,
    kind,
    address?.text ?? null,
    address && hashOf(address),
    timeZone ?? null,
    locale ?? null,
    timeZone !== undefined,
    locale !== undefined,
    provedUserId,
  ]);
  return rows.map((row) => row.device_id);
}

/** Gives a device to another user; it then has proved that person, or none. Nothing else of it changes. @callers people */
export async function assignDevice(
  sql: Sql,
  { applicationId, deviceId, userId, provedUserId }: DeviceRef & DeviceUser,
): Promise<void> {
  await sql.query(statement('assign-device'), [applicationId, deviceId, userId, provedUserId]);
}

/** @callers people */
export async function removeDevice(
  sql: Sql,
  { applicationId, deviceId }: DeviceRef,
): Promise<void> {
  await sql.query(statement('remove-device'), [applicationId, deviceId]);
}

/**
 * Deletes up to `limit` devices that were not seen since `before` and have no address any more, or proved no person: those
 * get no messages. How many. @callers scheduler
 */
export async function purgeUnseenDevices(
  sql: Sql,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rowCount } = await sql.query(statement('purge-unseen-devices'), [before, limit]);
  return rowCount ?? 0;
}

/** Deletes the devices of users who are being deleted. @callers user-data */
export async function deleteUserDevices(sql: Sql, userIds: readonly string[]): Promise<void> {
  await sql.query(statement('delete-user-devices'), [userIds]);
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
    joinedTo: row.joined_to,
    kind: row.kind,
    address: row.address,
    timeZone: row.time_zone,
    locale: row.locale,
    createdAt: row.created_at.getTime(),
    seenAt: row.seen_at.getTime(),
  };
}
