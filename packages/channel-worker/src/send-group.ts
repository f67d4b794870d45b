import type { Channel as ChannelName, DeliveryReason } from '@tidings/contracts';
import { changeDeliveryStates, releaseClaims, suppressAddress, type CampaignToSend, type ChannelSettings, type ClaimedDelivery, type Database, type StateChange } from '@tidings/db';
import { Counter, Histogram, type Clock, type Logger, type Timers } from '@tidings/platform';
import type { Channel, OutgoingDelivery, SendResult } from './channel.ts';
import { RETRY_POLICIES, stateAfterSend } from './outcomes.ts';
import { armGroup, type Arming } from './policies/arm-group.ts';
import type { SendPolicies } from './policies/policies-of.ts';
import { resendUnknown } from './policies/resend-unknown.ts';
import { outgoing, type Prepared } from './prepare.ts';
import type { Recorder } from './recorder.ts';
import type { SendSlots } from './send-slots.ts';

const sendsTotal = new Counter({
  name: 'tidings_sends_total',
  help: 'Calls of a provider, by what became of them.',
  labelNames: ['channel', 'status'] as const,
});
const sendSeconds = new Histogram({
  name: 'tidings_send_duration_seconds',
  help: 'Time of one call of a provider.',
  labelNames: ['channel'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
});

/** Armed longer ago than this and not begun: not sent. */
const ARMED_FOR_MS = 2_000;
/** A row that arming refused and that is still ours is looked at again by then: paused campaigns are no hurry. */
const REFUSED_RETRY_MS = 1_000;

export type GroupDependencies = {
  readonly channelName: ChannelName;
  readonly channel: Channel;
  readonly db: Database;
  readonly slots: SendSlots;
  readonly recorder: Recorder;
  readonly clock: Clock & Timers;
  readonly logger: Logger;
  readonly sendLeaseMs: number;
};

type Group = {
  readonly campaign: CampaignToSend;
  readonly settings: ChannelSettings;
  readonly policies: SendPolicies;
  /** As many as slots were taken for them. */
  readonly group: readonly Prepared[];
  /** Gets a promise for each send that was begun, before anything else can fail. */
  readonly underway: Promise<void>[];
};

/** Arms a group no larger than the slots taken for it, and begins a send for each row that was armed. */
export async function sendGroup(deps: GroupDependencies, { campaign, settings, policies, group, underway }: Group): Promise<void> {
  const arming = await armGroup(deps, { campaign, policies, group }).catch((error: unknown) => {
    // Whether they are armed is not known. Nothing was sent, and their leases tell what becomes of them.
    for (const _ of group) deps.slots.release();
    throw error;
  });
  const armedAt = deps.clock.monotonicMs();
  const mayBegin = (): boolean => deps.clock.monotonicMs() - armedAt <= ARMED_FOR_MS;
  const refused: Prepared[] = [];
  for (const prepared of group) {
    if (arming.armed.has(prepared.delivery.deliveryId)) underway.push(sendAndRecord(deps, { prepared, policies, arming }, outgoing(prepared, { campaign, settings }, mayBegin)));
    else refused.push(prepared);
  }
  for (const _ of refused) deps.slots.release();
  await changeDeliveryStates(deps.db.sql, ['claimed'], arming.changes);
  // Paused, canceled, expired, or no longer ours: where it is still ours it goes back.
  await releaseClaims(deps.db, refused.map(({ delivery }) => delivery), REFUSED_RETRY_MS);
}

async function sendAndRecord(
  deps: GroupDependencies,
  { prepared: { delivery }, policies, arming }: { readonly prepared: Prepared; readonly policies: SendPolicies; readonly arming: Arming },
  message: Omit<OutgoingDelivery, 'signal'>,
): Promise<void> {
  const startedAt = deps.clock.monotonicMs();
  try {
    const result = await callChannel(deps, message);
    sendsTotal.inc({ channel: deps.channelName, status: result.status });
    sendSeconds.observe({ channel: deps.channelName }, (deps.clock.monotonicMs() - startedAt) / 1000);
    if (result.status === 'invalid_address' && result.isSuppressed) await suppress(deps, message, result.reason);
    const change = resendUnknown(delivery, changeAfter(deps, delivery, result), {
      channel: deps.channelName,
      setting: policies.resendOnUnknown,
      policy: RETRY_POLICIES[deps.channelName],
    });
    await deps.recorder.record(change);
    await arming.settle(result);
  } finally {
    // Not before its outcome is written down: a worker that is killed leaves no more in doubt than it has slots.
    deps.slots.release();
  }
}

/** What the provider refuses from now on is not offered to it again. If it cannot be noted now, it says so the next time. */
async function suppress({ db, channelName, logger }: GroupDependencies, message: Omit<OutgoingDelivery, 'signal'>, reason: DeliveryReason): Promise<void> {
  const { applicationId, address, deliveryId } = message;
  await suppressAddress(db.sql, { applicationId, channel: channelName, address, reason }).catch((error: unknown) => {
    logger.warn({ err: error, deliveryId }, 'suppression could not be noted');
  });
}

/** A result that cannot be understood is a bug of the channel, and bytes may have left. */
function changeAfter({ channelName, logger }: GroupDependencies, delivery: ClaimedDelivery, result: SendResult): StateChange {
  try {
    return stateAfterSend(delivery, result, RETRY_POLICIES[channelName]);
  } catch (error) {
    logger.error({ err: error, deliveryId: delivery.deliveryId }, 'channel gave a result that cannot be understood');
    return stateAfterSend(delivery, { status: 'unknown' }, RETRY_POLICIES[channelName]);
  }
}

/** What the channel says; `unknown` when it throws or says nothing: bytes may have left, nobody may send this again. */
async function callChannel({ channel, clock, logger, sendLeaseMs }: GroupDependencies, message: Omit<OutgoingDelivery, 'signal'>): Promise<SendResult> {
  const late = new AbortController();
  let callOff = (): void => undefined;
  const overdue = new Promise<never>((_resolve, reject) => {
    callOff = clock.after(sendLeaseMs, () => {
      // Nobody waits for this send any more: it must not leave later, nor keep a connection.
      late.abort(new Error('the lease of the send ended'));
      reject(new Error('the channel gave no answer before the lease of the send ended'));
    });
  });
  try {
    return await Promise.race([channel.send({ ...message, signal: late.signal }), overdue]);
  } catch (error) {
    logger.error({ err: error, deliveryId: message.deliveryId }, 'channel failed unexpectedly');
    return { status: 'unknown' };
  } finally {
    callOff();
  }
}
