import type { IngestRecord } from '@tidings/contracts/ingest/ingest-record';
import { AppError, systemIds, type Clock } from '@tidings/platform';
import { dataErrorState, type Database, type Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { appendPersonChanges, type PersonChange } from '@tidings/user-changes/person-changes';
import { queueSubscriptionChange } from '@tidings/webhook-queue/queue-subscription';
import { resolveIdentities } from '../identities.ts';
import type { Identity } from '../identity.ts';
import {
  assignDevice,
  readDevice,
  removeDevice,
  writeDevice,
  type Device,
  type DeviceFacts,
  type DeviceRef,
  type DeviceUser,
} from './devices.ts';

const statement = statementsIn(import.meta.dirname);

const UNIQUE_VIOLATION = '23505';

/** Namespace of these advisory locks; any number that no other lock uses. */
const LOCK_SEED = 4_157_002;

/**
 * The user of a device. `customUserId` only if it was proved: by a user token, or because the
 * application accepts a bare one.
 */
type Proof<CustomUserId extends string | null = string | null> = {
  readonly customUserId: CustomUserId;
  readonly isByUserToken?: boolean;
};

type Registration = DeviceRef & Proof & { readonly facts: DeviceFacts };

/**
 * Creates or updates a device. A new device gets an anonymous user. A device with a `customUserId`
 * proves that person; its anonymous user is merged into the person. Data of the previous user of
 * the device stays with that user.
 * @callers client-api, testing
 */
export function registerDevice(
  db: Database,
  clock: Clock,
  { facts, customUserId, isByUserToken = false, ...device }: Registration,
): Promise<Device> {
  return changeDevice(db, device, async (sql, known) => {
    const { user, merged } = await resolveDeviceUser(sql, clock, {
      ...device,
      known,
      customUserId,
      isByUserToken,
    });
    const displaced = await writeDevice(sql, { ...device, ...user, facts });
    const written = await readWritten(sql, device);
    // No event if neither the kind nor the address has changed.
    if (known?.kind !== written.kind || known.address !== written.address) {
      if (known !== null) await queueSubscriptionEvent(sql, 'subscription.removed', known);
      await queueSubscriptionEvent(sql, 'subscription.created', written);
    }
    for (const deviceId of displaced) {
      const other = await readDevice(sql, { ...device, deviceId });
      if (other !== null)
        await queueSubscriptionEvent(sql, 'subscription.removed', {
          ...other,
          address: written.address,
        });
    }
    await appendPersonChanges(sql, merged);
    return written;
  });
}

/**
 * Assigns a device to the person that it proves from now on. Null when there is no such device.
 * @callers client-api
 */
export async function identifyDevice(
  db: Database,
  clock: Clock,
  { customUserId, isByUserToken = false, ...device }: DeviceRef & Proof<string>,
): Promise<Device | null> {
  return changeKnownDevice(db, device, (sql, known) =>
    resolveDeviceUser(sql, clock, { ...device, known, customUserId, isByUserToken }),
  );
}

/**
 * Assigns a device to a new anonymous user. Null when there is no such device.
 * @callers client-api
 */
export async function logOutDevice(
  db: Database,
  clock: Clock,
  device: DeviceRef,
): Promise<Device | null> {
  return changeKnownDevice(db, device, (sql) =>
    resolveDeviceUser(sql, clock, {
      ...device,
      known: null,
      customUserId: null,
      isByUserToken: false,
    }),
  );
}

function changeKnownDevice(
  db: Database,
  device: DeviceRef,
  findUser: (sql: Sql, known: Device) => Promise<ResolvedUser>,
): Promise<Device | null> {
  return changeDevice(db, device, async (sql, known) => {
    if (known === null) return null;
    const { user, merged } = await findUser(sql, known);
    await assignDevice(sql, { ...device, ...user });
    const written = await readWritten(sql, device);
    await appendPersonChanges(sql, merged);
    return written;
  });
}

async function readWritten(sql: Sql, device: DeviceRef): Promise<Device> {
  const written = await readDevice(sql, device);
  if (written === null) throw new Error('the device was deleted while it was written');
  return written;
}

/** Deletes a device and keeps its user. False when there is no such device. @callers client-api */
export function deleteDevice(db: Database, device: DeviceRef): Promise<boolean> {
  return changeDevice(db, device, async (sql, known) => {
    if (known === null) return false;
    await removeDevice(sql, device);
    await queueSubscriptionEvent(sql, 'subscription.removed', known);
    return true;
  });
}

async function queueSubscriptionEvent(
  sql: Sql,
  type: 'subscription.created' | 'subscription.removed',
  { applicationId, kind, address, customUserId, serviceUserId }: Device,
): Promise<void> {
  if (address !== null)
    await queueSubscriptionChange(sql, { applicationId, type, kind, customUserId, serviceUserId });
}

/**
 * Serialises changes of one device by an advisory lock. The row is locked last, because user
 * deletion locks the application's identities before the rows of devices.
 */
function changeDevice<T>(
  db: Database,
  device: DeviceRef,
  change: (sql: Sql, known: Device | null) => Promise<T>,
): Promise<T> {
  // Consumers and other devices write the same users, and two devices may register the same address
  // concurrently. The transaction that loses is retried.
  const isLost = (error: unknown): boolean =>
    error instanceof AppError || dataErrorState(error) === UNIQUE_VIOLATION;
  const work = async (sql: Sql): Promise<T> => {
    await sql.query(statement('lock-device'), [
      `${device.applicationId}:${device.deviceId}`,
      LOCK_SEED,
    ]);
    return change(sql, await readDevice(sql, device));
  };
  return retryConflicts(() => db.transaction(work), isLost);
}

type Wanted = DeviceRef & Required<Proof> & { readonly known: Device | null };

type ResolvedUser = { readonly user: DeviceUser; readonly merged: readonly PersonChange[] };

/**
 * The row that the device points at, and the person that it proves. The row is always an anonymous
 * user's, possibly merged into a person, so that the device keeps its own serviceUserId.
 *
 * A serviceUserId that is joined to another person, or with which the device proved another one,
 * stays with that person. The device then gets a new one.
 */
async function resolveDeviceUser(
  sql: Sql,
  clock: Clock,
  { applicationId, known, customUserId, isByUserToken }: Wanted,
): Promise<ResolvedUser> {
  const persons = [known?.customUserId, known?.joinedTo];
  const isOthers =
    customUserId !== null && persons.some((person) => person != null && person !== customUserId);
  const serviceUserId = known === null || isOthers ? systemIds.uuid() : known.serviceUserId;
  const userProof = isByUserToken ? 'token' : 'bare';
  await resolve(sql, clock, { applicationId, customUserId: null, serviceUserId, userProof });
  const proved =
    customUserId === null
      ? undefined
      : await resolve(sql, clock, { applicationId, customUserId, serviceUserId, userProof });
  const { rows } = await sql.query<{ user_id: string }>(statement('read-identity-user'), [
    applicationId,
    serviceUserId,
  ]);
  if (rows[0] === undefined) throw new Error('the serviceUserId was deleted while it was assigned');
  const { userId: provedUserId = null, anonymousId } = proved ?? {};
  return {
    user: { userId: rows[0].user_id, provedUserId },
    merged:
      provedUserId === null || anonymousId === undefined
        ? []
        : [{ applicationId, userId: provedUserId, anonymousId }],
  };
}

/** Resolves the ids like a record received now, with its customUserId proved. */
async function resolve(
  sql: Sql,
  clock: Clock,
  ids: Pick<IngestRecord, 'applicationId' | 'customUserId' | 'serviceUserId' | 'userProof'>,
): Promise<Identity> {
  const record: IngestRecord = {
    ...ids,
    requestId: systemIds.uuid(),
    receivedAt: clock.now(),
    keyType: 'client',
    messages: [],
  };
  const identity = (await resolveIdentities(sql, [record])).get(record.requestId);
  if (identity === undefined) throw new Error('the user of the device was not resolved');
  if (identity.reason === undefined) return identity;
  // One id belongs to a user with a deletion time of now or, because service clocks differ, later.
  throw new AppError('unavailable', 'The user has just been deleted. Try again.', {
    cause: new Error(identity.reason),
    retryAfterSeconds: 1,
  });
}
