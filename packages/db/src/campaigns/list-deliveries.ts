import type { DeliveryReason, DeliveryState } from '@tidings/contracts';
import type { Database } from '../database.ts';

export type DeliveryRecord = {
  readonly deliveryId: string;
  readonly customUserId: string;
  readonly serviceUserId: string | null;
  readonly status: DeliveryState;
  readonly reason: DeliveryReason | null;
  readonly providerCode: string | null;
  readonly providerMessage: string | null;
  readonly attempts: number;
  readonly createdAt: number;
  readonly sentAt: number | null;
  readonly deliveredAt: number | null;
  readonly displayedAt: number | null;
  readonly openedAt: number | null;
  readonly clickedAt: number | null;
  readonly updatedAt: number;
};

/** A page of a campaign's deliveries in the order they were made; the cursor is the last delivery's id. */
export async function listDeliveries(
  db: Database,
  campaignId: string,
  page: { readonly cursor?: string; readonly limit: number; readonly status?: string; readonly reason?: string; readonly customUserId?: string },
): Promise<DeliveryRecord[]> {
  const { cursor, limit, status, reason, customUserId } = page;
  const rows = await db.prisma.delivery.findMany({
    where: {
      campaignId,
      ...(status && { state: status }),
      ...(reason && { reason }),
      ...(customUserId !== undefined && { customUserId }),
      ...(cursor && { id: { gt: cursor } }),
    },
    orderBy: { id: 'asc' },
    take: limit,
  });
  const userIds = rows.flatMap((row) => row.userId ?? []);
  const identities = await db.prisma.userIdentity.findMany({ where: { userId: { in: userIds } }, orderBy: { createdAt: 'desc' } });
  const serviceUserIds = new Map(identities.map((identity) => [identity.userId, identity.serviceUserId]));
  return rows.map((row) => ({
    deliveryId: row.id,
    customUserId: row.customUserId,
    serviceUserId: row.userId === null ? null : (serviceUserIds.get(row.userId) ?? null),
    status: row.state as DeliveryState,
    reason: row.reason as DeliveryReason | null,
    providerCode: row.providerCode,
    providerMessage: row.providerMessage,
    attempts: row.attempts,
    createdAt: row.createdAt.getTime(),
    sentAt: row.sentAt?.getTime() ?? null,
    deliveredAt: row.deliveredAt?.getTime() ?? null,
    displayedAt: row.displayedAt?.getTime() ?? null,
    openedAt: row.openedAt?.getTime() ?? null,
    clickedAt: row.clickedAt?.getTime() ?? null,
    updatedAt: row.updatedAt.getTime(),
  }));
}
