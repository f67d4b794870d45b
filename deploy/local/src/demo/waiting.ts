import { setTimeout as delay } from 'node:timers/promises';
import type { CampaignRecord } from '@tidings/contracts/push/campaigns';
import { ApiError, callApi, type ApiAccess } from '@tidings/install';
import type { Reading } from './simulated-readers.ts';
import { countsLine } from './report.ts';

type IngestReport = {
  readonly complete: boolean;
  readonly messages: readonly {
    readonly type: string;
    readonly outcome: string;
    readonly reason?: string;
  }[];
};

const POLL_MS = 150;
const INGEST_WITHIN_MS = 30_000;
const CAMPAIGN_WITHIN_MS = 60_000;

type Waiting = { readonly note: (text: string) => void; readonly signal: AbortSignal };

/**
 * Resolves when every message of a request is processed.
 * @throws if one has another outcome, or after the timeout
 */
export async function awaitProcessed(
  api: ApiAccess,
  requestId: string,
  { note, signal }: Waiting,
): Promise<void> {
  for (
    const deadline = Date.now() + INGEST_WITHIN_MS;
    ;
    await delay(POLL_MS, undefined, { signal })
  ) {
    const report = await readIngest(api, requestId);
    const open = report?.messages.filter(({ outcome }) => outcome === 'pending').length;
    note(open === undefined ? 'not stored yet' : `${open} pending`);
    if (report?.complete) {
      const other = report.messages.find(({ outcome }) => outcome !== 'processed');
      if (other === undefined) return;
      throw new Error(
        `A ${other.type} message of request ${requestId} has the outcome ${other.outcome} (${other.reason ?? 'no reason'}) instead of processed.`,
      );
    }
    if (Date.now() > deadline)
      throw new Error(
        `Request ${requestId} was not processed in ${INGEST_WITHIN_MS / 1000} s: see the logs of users-consumer and events-consumer.`,
      );
  }
}

/** Undefined until a consumer has read the record. */
async function readIngest(api: ApiAccess, requestId: string): Promise<IngestReport | undefined> {
  try {
    return await callApi<IngestReport>(api, { path: `/api/v1/ingest/${requestId}` });
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** @throws if the campaign ends in another state, or after the timeout */
export async function awaitCompleted(
  api: ApiAccess,
  campaignId: string,
  { note, signal }: Waiting,
): Promise<CampaignRecord> {
  for (
    const deadline = Date.now() + CAMPAIGN_WITHIN_MS;
    ;
    await delay(POLL_MS, undefined, { signal })
  ) {
    const campaign = await callApi<CampaignRecord>(api, {
      path: `/api/v1/campaigns/${campaignId}`,
    });
    note(`${campaign.status}, ${countsLine(campaign.counts)}`);
    if (campaign.status === 'completed') return campaign;
    if (campaign.status === 'failed' || campaign.status === 'canceled')
      throw new Error(`Campaign ${campaignId} ended with status ${campaign.status}.`);
    if (Date.now() > deadline) {
      throw new Error(
        `Campaign ${campaignId} did not complete in ${CAMPAIGN_WITHIN_MS / 1000} s (${countsLine(campaign.counts)}): see the logs of campaigns and the workers.`,
      );
    }
  }
}

/**
 * Number of messages per campaign that reached the sandbox.
 * @throws unless each user got exactly one in time
 */
export async function awaitArrived(
  campaigns: readonly CampaignRecord[],
  { sandbox, customUserIds, signal }: Reading,
): Promise<ReadonlyMap<string, number>> {
  const arrived = new Map<string, number>();
  for (const { campaignId, channel } of campaigns) {
    for (
      const deadline = Date.now() + CAMPAIGN_WITHIN_MS;
      ;
      await delay(POLL_MS, undefined, { signal })
    ) {
      const { total, repeated } = await callApi<{ total: number; repeated: number }>(sandbox, {
        path: `/api/messages/counts?campaignId=${campaignId}`,
      });
      arrived.set(campaignId, total);
      if (total === customUserIds.length && repeated === 0) break;
      if (Date.now() > deadline || total > customUserIds.length)
        throw new Error(
          `The sandbox should have ${customUserIds.length} messages of the ${channel} campaign ${campaignId}, but has ${total}.`,
        );
    }
  }
  return arrived;
}
