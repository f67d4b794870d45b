import type { DeviceKind } from '@tidings/contracts/client-side';
import type { Database, Sql } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';
import { createHash } from 'node:crypto';

const statement = statementsIn(import.meta.dirname);

/** One installation of the SDK. Its id comes from the application and is its only credential. */
export type DeviceRef = { readonly applicationId: string; readonly deviceId: string };

export type Device = DeviceRef & {
  /**
   * The user whose messages it receives: the person that it proved, else its own anonymous user.
   */
  readonly userId: string;
  /** The person that it proved; null if none. */
  readonly customUserId: string | null;
  /** The id in its own messages. */
  readonly serviceUserId: string;
  /**
   * The person that its own messages belong to, proved or not; null while they belong to an
   * anonymous user.
   */
  readonly joinedTo: string | null;
  readonly kind: DeviceKind;
  /** A subscription as JSON, or a token; null if the device cannot be reached. */
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

/**
 * A device of this application with its user, or null. The device reads and confirms deliveries of
 * that user only.
 */
export async function readDevice(
  sql: Sql,
  { applicationId, deviceId }: DeviceRef,
): Promise<Device | null> {
  const { rows } = await sql.query<DeviceRow>(statement('read-device'), [applicationId, deviceId]);
  return rows[0] === undefined ? null : toDevice(rows[0]);
}

/**
 * All devices of a user, proved or not, including those of merged anonymous users. Most recently
 * seen first.
 */
export async function listUserDevices(db: Database, userId: string): Promise<Device[]> {
  // Matches arrays, each by an index: Postgres answers `or` with a subquery by a scan of all
  // devices.
  const { rows } = await db.sql.query<DeviceRow>(statement('list-user-devices'), [userId]);
  return rows.map(toDevice);
}

/** What a device reports about itself. An undefined field keeps its value. */
export type DeviceFacts = {
  readonly kind: DeviceKind;
  readonly address: DeviceAddress | null;
  readonly timeZone?: string | null;
  readonly locale?: string | null;
};

/** `identity` is the unique part of an address: the endpoint of a subscription, or the token. */
export type DeviceAddress = { readonly text: string; readonly identity: string };

/**
 * The user whose serviceUserId the device has, and the person that it proves, or null.
 * `writeDevice` keeps the previous proof when it is null; `assignDevice` removes it.
 */
export type DeviceUser = { readonly userId: string; readonly provedUserId: string | null };

/**
 * Writes a device. Clears the same address on any other device of the application, in the same
 * statement: an address belongs to the device that registered it last. Returns the ids of devices
 * that lost their address.
 * @callers people
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
    address && hashIdentity(address),
    timeZone ?? null,
    locale ?? null,
    timeZone !== undefined,
    locale !== undefined,
    provedUserId,
  ]);
  return rows.map((row) => row.device_id);
}

/**
 * Assigns a device to another user, and replaces its proof. Nothing else changes.
 * @callers people
 */
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
 * Deletes up to `limit` devices not seen since `before` that have no address or prove no person;
 * such devices receive no messages. Returns the number deleted.
 * @callers scheduler
 */
export async function purgeUnseenDevices(
  sql: Sql,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rowCount } = await sql.query(statement('purge-unseen-devices'), [before, limit]);
  return rowCount ?? 0;
}

/** Deletes all devices of the users. @callers user-data */
export async function deleteUserDevices(sql: Sql, userIds: readonly string[]): Promise<void> {
  await sql.query(statement('delete-user-devices'), [userIds]);
}

function hashIdentity({ identity }: DeviceAddress): Buffer {
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
