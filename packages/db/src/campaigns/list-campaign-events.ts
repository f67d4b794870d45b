import type { Database } from '../database.ts';

export type CampaignEvent = {
  readonly seq: string;
  readonly at: number;
  readonly type: string;
  readonly deliveryId?: string;
  readonly attempt?: number;
  readonly status?: string;
  readonly reason?: string;
  readonly providerCode?: string;
  readonly detail?: string;
};

/** A page of a campaign's event log, oldest first; the cursor is the last entry's `seq`. */
export async function listCampaignEvents(
  db: Database,
  campaignId: string,
  page: { readonly cursor?: string; readonly limit: number },
): Promise<CampaignEvent[]> {
  const rows = await db.prisma.campaignEvent.findMany({
    where: { campaignId, ...(page.cursor && { seq: { gt: BigInt(page.cursor) } }) },
    orderBy: { seq: 'asc' },
    take: page.limit,
  });
  return rows.map((row) => ({
    seq: row.seq.toString(),
    at: row.at.getTime(),
    type: row.type,
    ...(row.deliveryId !== null && { deliveryId: row.deliveryId }),
    ...(row.attempt !== null && { attempt: row.attempt }),
    ...(row.status !== null && { status: row.status }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.providerCode !== null && { providerCode: row.providerCode }),
    ...(row.detail !== null && { detail: row.detail }),
  }));
}
