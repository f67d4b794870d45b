import type { ChunkRef } from '@tidings/contracts/ingest/records';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { putOffChunk } from '@tidings/delivery/chunks';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import { ONLY } from './accounts/accounts.ts';
import { processDueRows, type HandleClaimed, type ChunkToSend } from './chunk-statements.ts';
import { holdForQuietHours } from './policies/hold-for-quiet-hours.ts';
import { ACCOUNTS_TTL_MS, type PolicyCache, type SettingsCache } from './settings-cache.ts';
import { CONDITION_RETRY_MS } from './outcomes.ts';
import { narrowToAccount, prepareDeliveries } from './prepare.ts';
import { recheckSegment } from './recheck-segment.ts';
import { renderRecipients } from './render-recipients.ts';
import { noticeLongRendering, renderBlockedMs, type RenderingWaits } from './rendering-waits.ts';
import { namesOfSenders, sendByAccounts, type AccountDependencies } from './send-by-accounts.ts';
import { changeUnsent, releaseUnsent } from './unsent.ts';

export type SenderDependencies = AccountDependencies &
  RenderingWaits & { readonly cache: SettingsCache; readonly policies: PolicyCache };

/**
 * Resolves when every row of the chunk is settled, scheduled or claimed by another worker. Rejects
 * with the signal's reason on abort.
 */
export async function sendChunk(
  deps: SenderDependencies,
  chunkToSend: ChunkToSend,
  signal: AbortSignal,
): Promise<void> {
  const campaign = await deps.cache.campaign(chunkToSend.campaignId);
  if (campaign === null) return;
  const blockedMs = Math.max(
    await accountsBlockedMs(deps, campaign),
    renderBlockedMs(deps, campaign),
  );
  if (blockedMs > 0) {
    const { readFrom, onAllClaimed: _onAllClaimed, ...chunk } = chunkToSend;
    return putOffChunk(deps.db, chunk, {
      delayMs: blockedMs,
      ...(readFrom !== undefined && { read: readFrom }),
    });
  }
  const { campaignId, chunkNo } = chunkToSend;
  const handle: HandleClaimed = (claimed, onHeldUp) =>
    sendClaimed(deps, { campaign, chunk: { campaignId, chunkNo }, claimed, onHeldUp }, signal);
  await processDueRows(deps, { campaign, chunkToSend, handle }, signal);
}

type ClaimedOfCampaign = {
  readonly campaign: CampaignToSend;
  readonly chunk: ChunkRef;
  readonly claimed: readonly ClaimedDelivery[];
  readonly onHeldUp: () => void;
};

/**
 * False if rows were released unsent: no slot, no token, an open breaker, no time left to render them,
 * or a condition that takes too long. The last is no failure: the record would be read again at once,
 * and all behind it wait.
 */
async function sendClaimed(
  deps: SenderDependencies,
  { campaign, chunk, claimed, onHeldUp }: ClaimedOfCampaign,
  signal: AbortSignal,
): Promise<boolean> {
  const version = claimed[0]?.settingsVersion ?? null;
  const settings =
    version === null ? null : await deps.cache.settings(campaign.applicationId, version);
  const putOff = async (): Promise<false> => {
    deps.logger.warn(
      { campaignId: campaign.campaignId },
      'conditions of a campaign take too long, its rows wait a minute',
    );
    await releaseUnsent(deps, campaign.lane, { rows: claimed, delaysMs: CONDITION_RETRY_MS });
    onHeldUp();
    return false;
  };
  const rechecked = await recheckSegment(deps.db, campaign, claimed);
  if (rechecked === 'timed_out') return putOff();
  const { staying, left } = rechecked;
  const { ready, settled } = prepareDeliveries(
    deps.channelName,
    staying,
    settings && narrowToAccount(settings, campaign.account),
  );
  const policies = await deps.policies.of(campaign.applicationId);
  const { open: awake, changes } = holdForQuietHours(ready, {
    purpose: campaign.purpose,
    policies,
    now: deps.clock.now(),
  });
  const callOffNotice = noticeLongRendering(deps, onHeldUp);
  const rendered = await renderRecipients(deps, campaign, { chunk, ready: awake }).finally(
    callOffNotice,
  );
  if (rendered === 'timed_out') return putOff();
  const { open, changes: unrenderable, unrendered } = rendered;
  await changeUnsent(deps, campaign, {
    rows: claimed,
    changes: [...left, ...settled, ...changes, ...unrenderable],
  });
  if (unrendered.length > 0) {
    await releaseUnsent(deps, campaign.lane, {
      rows: unrendered.map(({ delivery }) => delivery),
      delaysMs: 0,
    });
    onHeldUp();
  }
  if (settings === null) return true;
  const isAllSent = await sendByAccounts(
    deps,
    { campaign, settings, policies, open, onHeldUp },
    signal,
  );
  return isAllSent && unrendered.length === 0;
}

/** Milliseconds in which no account may send, as far as known before a claim; 0 if one may. */
async function accountsBlockedMs(
  { accounts, cache, policies }: SenderDependencies,
  campaign: CampaignToSend,
): Promise<number> {
  const { applicationId, isTest } = campaign;
  if (isTest) return 0;
  const settings = await cache.settings(applicationId, 0);
  const names =
    settings === null ? [ONLY] : namesOfSenders(settings, await policies.of(applicationId));
  return names.length === 0 ? ACCOUNTS_TTL_MS : accounts.blockedForMs(campaign, names);
}
