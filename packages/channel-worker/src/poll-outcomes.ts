import { ADDRESS_OF, type Channel as ChannelName } from '@tidings/contracts';
import {
  knownProviderIds,
  takeUnknownDeliveries,
  type UnknownDelivery,
} from '@tidings/delivery/outcome-polling';
import { applyStatusUpdate } from '@tidings/delivery/status-updates';
import { suppressAddress } from '@tidings/people/suppressions';
import { Counter, inSpan, inChildSpan, type ActiveSpan, type Logger } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { OutcomePoller } from './channel.ts';
import { profileOf } from './prepare.ts';
import type { SettingsCache } from './settings-cache.ts';

const pollsTotal = new Counter({
  name: 'tidings_outcome_polls_total',
  help: 'Questions to a provider about a send whose outcome is unknown, by what it said.',
  labelNames: ['channel', 'result'] as const,
});

export type PollDependencies = {
  readonly channelName: ChannelName;
  readonly outcomePoller: OutcomePoller;
  readonly db: Database;
  readonly cache: SettingsCache;
  readonly logger: Logger;
};

/** Asks the provider about deliveries whose outcome is unknown; what it cannot say stays unknown. */
export async function pollOutcomes(deps: PollDependencies, signal: AbortSignal): Promise<void> {
  const { channelName, outcomePoller, db, logger } = deps;
  for (const delivery of await takeUnknownDeliveries(db, channelName, outcomePoller)) {
    if (signal.aborted) return;
    // One at a time: it is no hurry, and the provider's limits are for sending.
    const result = await pollOne(deps, delivery).catch((error: unknown) => {
      logger.warn(
        { err: error, deliveryId: delivery.deliveryId },
        'outcome could not be looked up, trying again',
      );
      return 'failed';
    });
    pollsTotal.inc({ channel: channelName, result });
  }
}

/** A question is a span in the trace of the message, with the record of what came of it below it. */
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
  // As they are now: the version of the send is not known any more, and a credential may have been changed since.
  const settings = await cache.settings(delivery.applicationId, Number.MAX_SAFE_INTEGER);
  const found = ADDRESS_OF[channelName](profileOf(channelName, delivery));
  if (settings?.secrets == null || 'reason' in found) return 'nothing';
  const { deliveryId, fence, applicationId } = delivery;
  const { address } = found;
  const answer = await outcomePoller.find(
    { ...delivery, address, settings: settings.settings, secrets: settings.secrets },
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
