import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { settleDeliveries, type StateChange } from '@tidings/delivery/change-states';
import { putOffChunk } from '@tidings/delivery/chunks';
import { releaseClaims, type ClaimedDelivery } from '@tidings/delivery/claims';
import { readUser } from '@tidings/people/users';
import { Counter, stringifyExactJson } from '@tidings/platform';
import {
  processDueRows,
  type ChunkToSend,
  type DueRowsDependencies,
  type HandleClaimed,
} from './chunk-statements.ts';
import { markGroupSending, type MarkingDependencies } from './policies/mark-group-sending.ts';
import type { PolicyCache, SettingsCache } from './settings-cache.ts';
import { CONDITION_RETRY_MS } from './outcomes.ts';
import type { Prepared } from './prepare.ts';
import { recheckSegment } from './recheck-segment.ts';
import { renderRecipients } from './render-recipients.ts';
import { noticeLongRendering, renderBlockedMs, type RenderingWaits } from './rendering-waits.ts';
import { NOT_MARKED_RETRY_MS } from './send-group.ts';

/** Each may have a MiB of text. */
const RENDERED_ROWS_MAX = 100;

const inboxDeliveriesTotal = new Counter({
  name: 'tidings_inbox_deliveries_total',
  help: 'Messages delivered to the inbox of a user.',
  labelNames: ['channel'] as const,
});

export type InboxDependencies = DueRowsDependencies &
  MarkingDependencies &
  RenderingWaits & {
    readonly cache: Pick<SettingsCache, 'campaign'>;
    readonly policies: PolicyCache;
    /** JSON of rendered messages by delivery, while these are delivered. */
    readonly renderedMessages: Map<string, string>;
    /** Notifies waiting devices that messages can be fetched. */
    readonly notifyDevices: (deliveryIds: Iterable<string>) => void;
  };

/**
 * Counterpart of `sendChunk` for channels without a provider: rows that pass the checks go to the
 * inbox.
 */
export async function deliverChunkToInbox(
  deps: InboxDependencies,
  chunkToSend: ChunkToSend,
  signal: AbortSignal,
): Promise<void> {
  const campaign = await deps.cache.campaign(chunkToSend.campaignId);
  if (campaign === null) return;
  // It is slow only while it is rendered, so nothing else lets others proceed.
  const { onAllClaimed, ...awaited } = chunkToSend;
  const { campaignId, chunkNo, readFrom } = awaited;
  const chunk = { campaignId, chunkNo };
  const blockedMs = renderBlockedMs(deps, campaign);
  if (blockedMs > 0)
    return putOffChunk(deps.db, chunk, {
      delayMs: blockedMs,
      ...(readFrom !== undefined && { read: readFrom }),
    });
  const handle: HandleClaimed = async (claimed) => {
    // Rendered messages are held until they are written.
    const rowsMax = campaign.templates === null ? claimed.length : RENDERED_ROWS_MAX;
    let isAll = true;
    for (let from = 0; from < claimed.length; from += rowsMax)
      if (
        !(await deliverClaimed(deps, {
          campaign,
          chunk,
          claimed: claimed.slice(from, from + rowsMax),
          onHeldUp: () => onAllClaimed?.(),
        }))
      )
        isAll = false;
    return isAll;
  };
  await processDueRows(deps, { campaign, chunkToSend: awaited, handle }, signal);
}

/** False if rows were released: a condition takes too long, or no time is left to render them. */
async function deliverClaimed(
  deps: InboxDependencies,
  {
    campaign,
    chunk,
    claimed,
    onHeldUp,
  }: {
    readonly campaign: CampaignToSend;
    readonly chunk: ChunkRef;
    readonly claimed: readonly ClaimedDelivery[];
    readonly onHeldUp: () => void;
  },
): Promise<boolean> {
  const { db, channelName } = deps;
  const putOff = async (): Promise<false> => {
    deps.logger.warn(
      { campaignId: campaign.campaignId },
      'conditions of a campaign take too long, its rows wait a minute',
    );
    await releaseClaims(db, claimed, CONDITION_RETRY_MS);
    return false;
  };
  const rechecked = await recheckSegment(db, campaign, claimed);
  if (rechecked === 'timed_out') return putOff();
  const { staying, left } = rechecked;
  const { ready, settled } = await checkRecipients(deps, campaign, staying);
  const policies = await deps.policies.of(campaign.applicationId);
  const callOffNotice = noticeLongRendering(deps, onHeldUp);
  const rendering = await renderRecipients(deps, campaign, { chunk, ready }).finally(callOffNotice);
  if (rendering === 'timed_out') return putOff();
  const { open, changes: unrenderable, unrendered } = rendering;
  for (const { delivery, rendered } of open)
    if (rendered !== undefined)
      deps.renderedMessages.set(delivery.deliveryId, stringifyExactJson(rendered.message));
  const { marked, changes } = await markGroupSending(deps, {
    campaign,
    policies,
    group: open,
  }).finally(() => {
    for (const { delivery } of open) deps.renderedMessages.delete(delivery.deliveryId);
  });
  deps.notifyDevices(marked);
  inboxDeliveriesTotal.inc({ channel: channelName }, marked.size);
  const { isHeard } = campaign;
  await settleDeliveries(
    db,
    ['claimed'],
    [...left, ...settled, ...unrenderable, ...changes].map((change) => ({ ...change, isHeard })),
  );
  // Release rows that are still ours: the campaign is paused, canceled or expired.
  await releaseClaims(
    db,
    open.flatMap(({ delivery }) => (marked.has(delivery.deliveryId) ? [] : [delivery])),
    NOT_MARKED_RETRY_MS,
  );
  await releaseClaims(
    db,
    unrendered.map(({ delivery }) => delivery),
    0,
  );
  return unrendered.length === 0;
}

/**
 * The address is the user: a known user can be reached. A test send names its user in
 * `testAddress`.
 */
async function checkRecipients(
  { db }: InboxDependencies,
  { applicationId }: CampaignToSend,
  claimed: readonly ClaimedDelivery[],
): Promise<{ readonly ready: Prepared[]; readonly settled: StateChange[] }> {
  const ready: Prepared[] = [];
  const settled: StateChange[] = [];
  for (const delivery of claimed) {
    const { deliveryId, fence, testAddress, isUserGone, settingsVersion, suppression } = delivery;
    const isKnown =
      testAddress === null
        ? isUserGone !== true
        : (await readUser(db, applicationId, testAddress)) !== null;
    const reason = isKnown
      ? settingsVersion === null
        ? 'channel_not_configured'
        : suppression
      : 'unknown_user';
    if (reason === null) ready.push({ delivery, address: '' });
    else settled.push({ deliveryId, fence, state: 'failed', reason });
  }
  return { ready, settled };
}
