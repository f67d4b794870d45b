import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { changeDeliveryStates, type StateChange } from '@tidings/delivery/change-states';
import { releaseClaims, type ClaimedDelivery } from '@tidings/delivery/claims';
import { readUser } from '@tidings/people/users';
import { Counter } from '@tidings/platform';
import { forDueRows, type DueRowsDependencies, type PlacedPointer } from './chunk-statements.ts';
import { armGroup, type ArmingDependencies } from './policies/arm-group.ts';
import type { PolicyCache } from './policies/policy-cache.ts';
import type { Prepared } from './prepare.ts';
import { REFUSED_RETRY_MS } from './send-group.ts';
import type { SettingsCache } from './settings-cache.ts';

const offeredTotal = new Counter({
  name: 'tidings_offered_total',
  help: 'Messages that were offered to the devices of a user.',
  labelNames: ['channel'] as const,
});

export type OfferDependencies = DueRowsDependencies &
  ArmingDependencies & {
    readonly cache: Pick<SettingsCache, 'campaign'>;
    readonly policies: PolicyCache;
    /** Tells devices that wait for messages that these can be fetched. */
    readonly tell: (deliveryIds: Iterable<string>) => void;
  };

/** What `sendChunk` is for channels with a provider: here what passes arming waits in the inbox, and there is nothing to send. */
export async function offerChunk(
  deps: OfferDependencies,
  placed: PlacedPointer,
  signal: AbortSignal,
): Promise<void> {
  const campaign = await deps.cache.campaign(placed.campaignId);
  if (campaign === null) return;
  const handle = async (claimed: readonly ClaimedDelivery[]): Promise<boolean> => {
    await offerClaimed(deps, campaign, claimed);
    return true;
  };
  await forDueRows(deps, { campaign, placed, handle }, signal);
}

async function offerClaimed(
  deps: OfferDependencies,
  campaign: CampaignToSend,
  claimed: readonly ClaimedDelivery[],
): Promise<void> {
  const { db, channelName } = deps;
  const { ready, settled } = await prepareOffers(deps, campaign, claimed);
  const policies = await deps.policies.of(campaign.applicationId);
  const { armed, changes } = await armGroup(deps, { campaign, policies, group: ready });
  deps.tell(armed);
  offeredTotal.inc({ channel: channelName }, armed.size);
  await changeDeliveryStates(db.sql, ['claimed'], [...settled, ...changes]);
  // Paused, canceled, expired, or no longer ours: where it is still ours it goes back.
  await releaseClaims(
    db,
    ready.flatMap(({ delivery }) => (armed.has(delivery.deliveryId) ? [] : [delivery])),
    REFUSED_RETRY_MS,
  );
}

/** A user is reached by being known; a test send names its user where others name an address. */
async function prepareOffers(
  { db }: OfferDependencies,
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
