import type { IngestRecord } from '@tidings/contracts';
import { AppError, systemIds, type Clock } from '@tidings/platform';
import { dataErrorState, type Database, type Sql } from '@tidings/postgres/database';
import { retryConflicts } from '@tidings/postgres/retry-conflicts';
import { statementsIn } from '@tidings/postgres/statements';
import { queueSubscriptionChange } from '@tidings/webhook-queue/queue-subscription';
import { resolveIdentities } from '../identities.ts';
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

/** Any number; it tells our advisory locks from those of others. */
const LOCK_SEED = 4_157_002;

/** Whose device it is to be: `customUserId` only where it was proved, by a user token or as the application believes a bare one. */
type Proof<CustomUserId extends string | null = string | null> = {
  readonly customUserId: CustomUserId;
  readonly isByUserToken?: boolean;
};

type Registration = DeviceRef & Proof & { readonly facts: DeviceFacts };

/**
 * Writes what a device says of itself. A new one gets an anonymous user; one with a `customUserId` has proved that person
 * from now on, and its anonymous user is merged into the person. The person who used it before keeps what was theirs.
 * @callers client-api, testing
 */
export function registerDevice(
  db: Database,
  clock: Clock,
  { facts, customUserId, isByUserToken = false, ...device }: Registration,
): Promise<Device> {
  return changeDevice(db, device, async (sql, known) => {
    const user = await resolveDeviceUser(sql, clock, {
      ...device,
      known,
      customUserId,
      isByUserToken,
    });
    const displaced = await writeDevice(sql, { ...device, ...user, facts });
    const written = await readWritten(sql, device);
    // Of the device itself nothing is to be told that stayed as it was.
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
    return written;
  });
}

/** The device has proved the person from now on; null when there is no such device. @callers client-api */
export async function identifyDevice(
  db: Database,
  clock: Clock,
  { customUserId, isByUserToken = false, ...device }: DeviceRef & Proof<string>,
): Promise<Device | null> {
  return changeKnownDevice(db, device, (sql, known) =>
    resolveDeviceUser(sql, clock, { ...device, known, customUserId, isByUserToken }),
  );
}

/** From now on the device is a fresh anonymous user's; null when there is no such device. @callers client-api */
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
  findUser: (sql: Sql, known: Device) => Promise<DeviceUser>,
): Promise<Device | null> {
  return changeDevice(db, device, async (sql, known) => {
    if (known === null) return null;
    await assignDevice(sql, { ...device, ...(await findUser(sql, known)) });
    return readWritten(sql, device);
  });
}

async function readWritten(sql: Sql, device: DeviceRef): Promise<Device> {
  const written = await readDevice(sql, device);
  if (written === null) throw new Error('a device vanished while it was written');
  return written;
}

/** False when there was none. Its user stays. @callers client-api */
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
 * One change of a device at a time. Its row is locked last: who deletes a user keeps all identities of the application
 * first, and then the rows of devices.
 */
function changeDevice<T>(
  db: Database,
  device: DeviceRef,
  change: (sql: Sql, known: Device | null) => Promise<T>,
): Promise<T> {
  // Consumers and other devices write the same users, and two devices may name one address at once: whoever loses tries again.
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

/**
 * The row that the device is to point at, always an anonymous user's, which may point at a person, so that the device
 * keeps a serviceUserId of its own; and the person that it proves. A serviceUserId that is joined to another person, or
 * with which the device proved another one, stays that person's: the device then gets a new one.
 */
async function resolveDeviceUser(
  sql: Sql,
  clock: Clock,
  { applicationId, known, customUserId, isByUserToken }: Wanted,
): Promise<DeviceUser> {
  const persons = [known?.customUserId, known?.joinedTo];
  const isOthers =
    customUserId !== null && persons.some((person) => person != null && person !== customUserId);
  const serviceUserId = known === null || isOthers ? systemIds.uuid() : known.serviceUserId;
  const userProof = isByUserToken ? 'token' : 'bare';
  await resolve(sql, clock, { applicationId, customUserId: null, serviceUserId, userProof });
  const provedUserId =
    customUserId === null
      ? null
      : await resolve(sql, clock, { applicationId, customUserId, serviceUserId, userProof });
  const { rows } = await sql.query<{ user_id: string }>(statement('read-identity-user'), [
    applicationId,
    serviceUserId,
  ]);
  if (rows[0] === undefined) throw new Error('a serviceUserId vanished while it was given');
  return { userId: rows[0].user_id, provedUserId };
}

/** As a record that came this moment would be resolved, its customUserId proved. */
async function resolve(
  sql: Sql,
  clock: Clock,
  ids: Pick<IngestRecord, 'applicationId' | 'customUserId' | 'serviceUserId' | 'userProof'>,
): Promise<string | null> {
  const record: IngestRecord = {
    ...ids,
    requestId: systemIds.uuid(),
    receivedAt: clock.now(),
    keyType: 'client',
    messages: [],
  };
  const identity = (await resolveIdentities(sql, [record])).get(record.requestId);
  if (identity === undefined) throw new Error('the user of a device was not resolved');
  if (identity.reason === undefined) return identity.userId;
  // By the clocks of services one of the ids is of a user who was deleted this moment, or who will be.
  throw new AppError('unavailable', 'The user has just been deleted. Try again.', {
    cause: new Error(identity.reason),
    retryAfterSeconds: 1,
  });
}
