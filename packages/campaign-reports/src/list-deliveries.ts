import type { AccountReason } from '@tidings/contracts/channels/accounts';
import type { Channel } from '@tidings/contracts/channels/channels';
import { isDeviceChannel } from '@tidings/contracts/channels/device-channels';
import type { Bounce } from '@tidings/contracts/push/bounces';
import type { DeliveryReason, DeliveryState } from '@tidings/contracts/push/deliveries';
import type { Delivery } from '@tidings/database/client';
import { publicDeviceId } from '@tidings/people/devices/public-device-id';
import type { Database } from '@tidings/postgres/database';
import { statementsIn } from '@tidings/postgres/statements';

const statement = statementsIn(import.meta.dirname);

export type DeliveryRecord = {
  readonly deliveryId: string;
  readonly customUserId: string;
  readonly serviceUserId: string | null;
  readonly status: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly providerCode: string | null;
  readonly providerMessage: string | null;
  /** Of an e-mail that a server refused; null otherwise. */
  readonly bounce: Bounce | null;
  /** The account of the last attempt, and why it was that one; null while the channel has one. */
  readonly account: string | null;
  readonly accountReason: AccountReason | null;
  readonly attempts: number;
  readonly createdAt: number;
  readonly sentAt: number | null;
  readonly deliveredAt: number | null;
  readonly displayedAt: number | null;
  readonly openedAt: number | null;
  readonly clickedAt: number | null;
  readonly updatedAt: number;
  /** On device channels: the outcome per address, most recently seen device first. */
  readonly addresses?: readonly AddressRecord[];
};

export type AddressRecord = {
  readonly addressNo: number;
  /** Null in a test send or after the user was deleted. */
  readonly deviceRef: string | null;
  readonly status: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly providerCode: string | null;
  readonly providerMessage: string | null;
  readonly attempts: number;
  readonly sentAt: number | null;
  readonly updatedAt: number;
};

/** Position of a delivery in its campaign's list, which is ordered by chunk. */
export type DeliveryPosition = { readonly chunkNo: number; readonly id: string };

/** The position before all deliveries. */
export const BEFORE_ALL: DeliveryPosition = {
  chunkNo: -(2 ** 31),
  id: '00000000-0000-0000-0000-000000000000',
};

/** A page of a campaign's deliveries. To filter by state and reason, use `findDeliveries`. */
export async function listDeliveries(
  db: Database,
  campaignId: string,
  {
    after = BEFORE_ALL,
    limit,
    customUserId,
  }: { readonly after?: DeliveryPosition; readonly limit: number; readonly customUserId?: string },
): Promise<DeliveryRecord[]> {
  const { rows } = await db.sql.query<{ id: string }>(statement('list-deliveries'), [
    campaignId,
    after.chunkNo,
    after.id,
    limit,
    customUserId ?? null,
  ]);
  return readDeliveries(
    db,
    rows.map(({ id }) => id),
  );
}

/** The given deliveries of one campaign, in list order. */
export async function readDeliveries(
  db: Database,
  deliveryIds: readonly string[],
): Promise<DeliveryRecord[]> {
  const rows = await (
    await db.prisma()
  ).delivery.findMany({
    where: { id: { in: [...deliveryIds] } },
    orderBy: [{ chunkNo: 'asc' }, { id: 'asc' }],
  });
  return toDeliveryRecords(db, rows);
}

async function toDeliveryRecords(
  db: Database,
  rows: readonly Delivery[],
): Promise<DeliveryRecord[]> {
  const userIds = rows.flatMap((row) => row.userId ?? []);
  const identities = await (
    await db.prisma()
  ).userIdentity.findMany({ where: { userId: { in: userIds } }, orderBy: { createdAt: 'desc' } });
  const serviceUserIds = new Map(
    identities.map((identity) => [identity.userId, identity.serviceUserId]),
  );
  const addresses = await readAddresses(
    db,
    rows.filter((row) => row.addressedAt !== null),
  );
  return rows.map((row) => ({
    deliveryId: row.id,
    customUserId: row.customUserId,
    serviceUserId: row.userId === null ? null : (serviceUserIds.get(row.userId) ?? null),
    status: row.state as DeliveryState,
    reason: row.reason as DeliveryReason | null,
    providerCode: row.providerCode,
    providerMessage: row.providerMessage,
    bounce: row.bounce as Bounce | null,
    account: row.account,
    accountReason: row.accountReason as AccountReason | null,
    attempts: row.attempts,
    createdAt: row.createdAt.getTime(),
    sentAt: row.sentAt?.getTime() ?? null,
    deliveredAt: row.deliveredAt?.getTime() ?? null,
    displayedAt: row.displayedAt?.getTime() ?? null,
    openedAt: row.openedAt?.getTime() ?? null,
    clickedAt: row.clickedAt?.getTime() ?? null,
    updatedAt: row.updatedAt.getTime(),
    ...(isDeviceChannel(row.channel as Channel) && {
      addresses: addresses.get(row.id) ?? onlyAddressOf(row),
    }),
  }));
}

/** A delivery to one address has no address rows of its own. */
function onlyAddressOf(row: Delivery): AddressRecord[] {
  return isOfNobody(row) ? [] : [toAddressRecord({ ...row, addressNo: 0 }, row.applicationId)];
}

/** A user without a device has no address row. */
const isOfNobody = ({
  deviceId,
  attempts,
}: {
  readonly deviceId: string | null;
  readonly attempts: number;
}): boolean => deviceId === null && attempts === 0;

async function readAddresses(
  db: Database,
  deliveries: readonly { readonly id: string; readonly applicationId: string }[],
): Promise<Map<string, AddressRecord[]>> {
  const addresses = new Map<string, AddressRecord[]>(deliveries.map(({ id }) => [id, []]));
  const [first] = deliveries;
  if (first === undefined) return addresses;
  // All deliveries belong to one campaign.
  const { applicationId } = first;
  const rows = await (
    await db.prisma()
  ).deliveryAddress.findMany({
    where: { deliveryId: { in: deliveries.map(({ id }) => id) } },
    orderBy: [{ deliveryId: 'asc' }, { addressNo: 'asc' }],
  });
  for (const row of rows)
    if (!isOfNobody(row)) addresses.get(row.deliveryId)?.push(toAddressRecord(row, applicationId));
  return addresses;
}

type AddressRow = Pick<
  Delivery,
  | 'deviceId'
  | 'state'
  | 'reason'
  | 'providerCode'
  | 'providerMessage'
  | 'attempts'
  | 'sentAt'
  | 'updatedAt'
> & { readonly addressNo: number };

function toAddressRecord(row: AddressRow, applicationId: string): AddressRecord {
  return {
    addressNo: row.addressNo,
    deviceRef:
      row.deviceId === null ? null : publicDeviceId({ applicationId, deviceId: row.deviceId }),
    status: row.state as DeliveryState,
    reason: row.reason as DeliveryReason | null,
    providerCode: row.providerCode,
    providerMessage: row.providerMessage,
    attempts: row.attempts,
    sentAt: row.sentAt?.getTime() ?? null,
    updatedAt: row.updatedAt.getTime(),
  };
}
