import type { Channel } from '@tidings/contracts/channels/channels';
import type { Bounce } from '@tidings/contracts/push/bounces';
import type { AttemptOutcome } from '@tidings/contracts/push/deliveries';
import type { Database } from '@tidings/postgres/database';

export type CampaignEvent = {
  readonly seq: string;
  readonly at: number;
  readonly type: string;
  readonly deliveryId?: string;
  /**
   * Number of the address in the delivery's `addresses`; absent if the entry is about the whole
   * delivery.
   */
  readonly addressNo?: number;
  readonly attempt?: number;
  readonly status?: string;
  readonly reason?: string;
  readonly providerCode?: string;
  readonly bounce?: Bounce;
  /** Channel of the entry, if it is not the campaign's. */
  readonly channel?: Channel;
  /** The provider's response. */
  readonly detail?: string;
  /** Fence of the attempt that made the entry. */
  readonly fence?: number;
  /**
   * When the row was marked sending; the attempt ended at `at`. Present if an attempt made the
   * entry, as are the next three.
   */
  readonly markedSendingAt?: number;
  readonly outcome?: AttemptOutcome;
  readonly durationMs?: number;
  /** Trace id of the campaign's request. */
  readonly traceId?: string;
};

/** A page of a campaign's event log, oldest first; the cursor is the last entry's `seq`. */
export async function listCampaignEvents(
  db: Database,
  campaignId: string,
  page: { readonly cursor?: string; readonly limit: number },
): Promise<CampaignEvent[]> {
  const campaign = await (
    await db.prisma()
  ).campaign.findUnique({ where: { id: campaignId }, select: { traceId: true } });
  const traceId = campaign?.traceId ?? null;
  const rows = await (
    await db.prisma()
  ).campaignEvent.findMany({
    where: { campaignId, ...(page.cursor && { seq: { gt: BigInt(page.cursor) } }) },
    orderBy: { seq: 'asc' },
    take: page.limit,
  });
  return rows.map((row) => ({
    seq: row.seq.toString(),
    at: row.at.getTime(),
    type: row.type,
    ...(row.deliveryId !== null && { deliveryId: row.deliveryId }),
    ...(row.addressNo !== null && { addressNo: row.addressNo }),
    ...(row.attempt !== null && { attempt: row.attempt }),
    ...(row.status !== null && { status: row.status }),
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.providerCode !== null && { providerCode: row.providerCode }),
    ...(row.bounce !== null && { bounce: row.bounce as Bounce }),
    ...(row.channel !== null && { channel: row.channel as Channel }),
    ...detailOf(row),
    ...(row.fence !== null && { fence: row.fence }),
    ...(row.armedAt !== null && {
      markedSendingAt: row.armedAt.getTime(),
      ...(traceId !== null && { traceId }),
    }),
    ...(row.outcome !== null && { outcome: row.outcome as AttemptOutcome }),
    ...(row.durationMs !== null && { durationMs: row.durationMs }),
  }));
}

/** Of an accepted mail, the response is stored apart if it does not name the recipient. */
function detailOf({
  detail,
  response,
}: {
  readonly detail: string | null;
  readonly response: string | null;
}): { readonly detail?: string } {
  const shown = detail ?? response;
  return shown === null ? {} : { detail: shown };
}
