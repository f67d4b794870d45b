import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { changeDeliveryStates, type StateChange } from '@tidings/delivery/change-states';
import { releaseClaims, type ClaimedDelivery } from '@tidings/delivery/claims';
import { readUser } from '@tidings/people/users';
import { Counter } from '@tidings/platform';
import { processDueRows, type DueRowsDependencies, type ChunkToSend } from './chunk-statements.ts';
import { markGroupSending, type MarkingDependencies } from './policies/mark-group-sending.ts';
import type { PolicyCache, SettingsCache } from './settings-cache.ts';
import type { Prepared } from './prepare.ts';
import { recheckSegment } from './recheck-segment.ts';
import { NOT_MARKED_RETRY_MS } from './send-group.ts';

const inboxDeliveriesTotal = new Counter({
  name: 'tidings_inbox_deliveries_total',
  help: 'Messages delivered to the inbox of a user.',
  labelNames: ['channel'] as const,
});

export type InboxDependencies = DueRowsDependencies &
  MarkingDependencies & {
    readonly cache: Pick<SettingsCache, 'campaign'>;
    readonly policies: PolicyCache;
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
  const handle = async (claimed: readonly ClaimedDelivery[]): Promise<boolean> => {
    await deliverClaimed(deps, campaign, claimed);
    return true;
  };
  await processDueRows(deps, { campaign, chunkToSend, handle }, signal);
}

async function deliverClaimed(
  deps: InboxDependencies,
  campaign: CampaignToSend,
  claimed: readonly ClaimedDelivery[],
): Promise<void> {
  const { db, channelName } = deps;
  const { staying, left } = await recheckSegment(db, campaign, claimed);
  const { ready, settled } = await checkRecipients(deps, campaign, staying);
  const policies = await deps.policies.of(campaign.applicationId);
  const { marked, changes } = await markGroupSending(deps, { campaign, policies, group: ready });
  deps.notifyDevices(marked);
  inboxDeliveriesTotal.inc({ channel: channelName }, marked.size);
  await changeDeliveryStates(db.sql, ['claimed'], [...left, ...settled, ...changes]);
  // Release rows that are still ours: the campaign is paused, canceled or expired.
  await releaseClaims(
    db,
    ready.flatMap(({ delivery }) => (marked.has(delivery.deliveryId) ? [] : [delivery])),
    NOT_MARKED_RETRY_MS,
  );
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
