import {
  accountsOf,
  type ChannelAccount,
  type ChannelSettings,
} from '@tidings/accounts/channel-settings';
import { ADDRESS_OF } from '@tidings/contracts/channels/addresses';
import type { Channel as ChannelName } from '@tidings/contracts/channels/channels';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import { readContexts } from '@tidings/delivery/delivery-contexts';
import { readDeliveryData } from '@tidings/delivery/delivery-data';
import {
  knownProviderIds,
  takeUnknownDeliveries,
  type UnknownDelivery,
} from '@tidings/delivery/outcome-polling';
import { applyStatusUpdate } from '@tidings/delivery/status-updates';
import { suppressAddress } from '@tidings/people/suppressions';
import { Counter, inSpan, inChildSpan, type ActiveSpan, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { renderCampaign } from '@tidings/templates/render-campaign';
import { RenderFault } from '@tidings/liquid/render-fault';
import type { OutcomePoller } from './channel.ts';
import { profileOf } from './prepare.ts';
import type { SettingsCache } from './settings-cache.ts';

const pollsTotal = new Counter({
  name: 'tidings_outcome_polls_total',
  help: 'Polls of a provider for an unknown outcome, by result.',
  labelNames: ['channel', 'result'] as const,
});

export type PollDependencies = {
  readonly channelName: ChannelName;
  readonly outcomePoller: OutcomePoller;
  readonly db: Database;
  readonly cache: SettingsCache;
  readonly logger: Logger;
};

/**
 * Polls the provider for deliveries with an unknown outcome. Without a definite status they stay
 * unknown.
 */
export async function pollOutcomes(deps: PollDependencies, signal: AbortSignal): Promise<void> {
  const { channelName, outcomePoller, db, logger } = deps;
  for (const delivery of await takeUnknownDeliveries(db, channelName, outcomePoller)) {
    if (signal.aborted) return;
    // Sequential: polling is not urgent and must not use the provider's rate limit for sending.
    const result = await pollOne(deps, delivery).catch((error: unknown) => {
      logger.warn(
        { err: error, deliveryId: delivery.deliveryId },
        'outcome could not be polled, retrying',
      );
      return 'failed';
    });
    pollsTotal.inc({ channel: channelName, result });
  }
}

/** Each poll is a span in the message's trace; recording its result is a child span. */
function pollOne(deps: PollDependencies, delivery: UnknownDelivery): Promise<'found' | 'nothing'> {
  const attributes = {
    'tidings.delivery_id': delivery.deliveryId,
    'tidings.channel': deps.channelName,
  };
  return inChildSpan(
    delivery.traceparent,
    { name: `look up ${deps.channelName}`, kind: 'CLIENT', attributes },
    (span) => pollInSpan(deps, { delivery, span }),
  );
}

async function pollInSpan(
  { channelName, outcomePoller, db, cache }: PollDependencies,
  { delivery, span }: { readonly delivery: UnknownDelivery; readonly span: ActiveSpan },
): Promise<'found' | 'nothing'> {
  // Use the current settings: the version of the send is no longer known and credentials may have
  // changed.
  const settings = await cache.settings(delivery.applicationId, Number.MAX_SAFE_INTEGER);
  const found = ADDRESS_OF[channelName](profileOf(channelName, delivery));
  const account = settings && accountOf(settings, delivery);
  if (account?.secrets == null || 'reason' in found) return 'nothing';
  const message = delivery.message ?? (await renderAgain(db, delivery));
  if (message === null) return 'nothing';
  const { deliveryId, fence, applicationId } = delivery;
  const { address } = found;
  const answer = await outcomePoller.find(
    { ...delivery, message, address, settings: account.settings, secrets: account.secrets },
    (ids) => knownProviderIds(db, ids),
  );
  if (answer === null) return 'nothing';
  const { suppression, ...update } = answer;
  span.set({
    'tidings.outcome': update.state,
    'tidings.reason': update.reason,
    'tidings.provider_code': update.providerCode,
  });
  if (suppression !== undefined)
    await suppressAddress(db.sql, {
      applicationId,
      channel: channelName,
      address,
      reason: suppression,
    });
  await inSpan({ name: 'record outcome', attributes: { 'db.system.name': 'postgresql' } }, () =>
    applyStatusUpdate(db, { ...update, deliveryId, fence }),
  );
  return 'found';
}

/** The account that it was sent by; undefined if that is gone, since another may have a message like it. */
function accountOf(
  settings: ChannelSettings,
  { account: name }: UnknownDelivery,
): ChannelAccount | undefined {
  const accounts = accountsOf(settings);
  return name === null && accounts.length === 1
    ? settings
    : accounts.find((account) => account.name === name);
}

/**
 * The message that was sent. Without a record it is as it would be rendered now: if the profile changed
 * since, the provider has none with this text. Null: the message cannot be rendered now.
 */
async function renderAgain(
  db: Database,
  { campaignId, customUserId, deliveryId }: UnknownDelivery,
): Promise<Readonly<Record<string, unknown>> | null> {
  const campaign = (await readCampaignsToSend(db.sql, [campaignId])).get(campaignId);
  const templates = campaign?.templates ?? null;
  if (campaign === undefined || templates === null) return null;
  const data = (await readDeliveryData(db.sql, campaignId, [deliveryId])).get(deliveryId);
  const rendered = await renderCampaign(
    db,
    { ...campaign, templates },
    {
      customUserIds: [customUserId],
      recorded: new Map(data === undefined ? [] : [[customUserId, data]]),
      contexts: await readContexts(db.sql, campaignId, [customUserId]),
    },
  );
  if (rendered === 'timed_out') return null;
  const result = rendered.get(customUserId)?.message ?? null;
  return result === null || result instanceof RenderFault ? null : result.message;
}
