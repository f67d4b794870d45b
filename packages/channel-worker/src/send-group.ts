import type { Channel as ChannelName, Lane } from '@tidings/contracts/channels/channels';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { SuppressionReason } from '@tidings/contracts/channels/suppression-reasons';
import type { CampaignToSend } from '@tidings/delivery/campaigns-to-send';
import { type StateChange, targetKey } from '@tidings/delivery/change-states';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import { suppressAddress } from '@tidings/people/suppressions';
import {
  Counter,
  Histogram,
  inSpan,
  type ActiveSpan,
  type Clock,
  type Logger,
  type Timers,
} from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { Ticket, Accounts } from './accounts/accounts.ts';
import { toHealthSignal } from './accounts/health-signal.ts';
import type { ChunkStatements } from './chunk-statements.ts';
import type { Channel, OutgoingDelivery, SendResult } from './channel.ts';
import { isNeutralResponse } from './neutral-response.ts';
import { RETRY_POLICIES, stateAfterSend } from './outcomes.ts';
import { markGroupSending, type MarkedGroup } from './policies/mark-group-sending.ts';
import type { SendPolicies } from './policies/send-policies.ts';
import { isRetryHarmless, retryUnknown } from './policies/retry-unknown.ts';
import { outgoing, type Prepared, type Sender } from './prepare.ts';
import type { Recorder } from './recorder.ts';
import { startSendLease, type SendLease } from './send-lease.ts';
import type { SettingsCache } from './settings-cache.ts';
import type { UnmappedErrors } from './unmapped-errors.ts';
import { changeUnsent, releaseUnsent } from './unsent.ts';

const sendsTotal = new Counter({
  name: 'tidings_sends_total',
  help: 'Provider calls, by result.',
  labelNames: ['channel', 'status'] as const,
});
const sendSeconds = new Histogram({
  name: 'tidings_send_duration_seconds',
  help: 'Duration of one provider call.',
  labelNames: ['channel'] as const,
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
});

/** A row is not sent when its marking was answered longer ago than this, or its lease may be over. */
const BEGIN_WITHIN_MS = 2_000;
/**
 * Retry delay of rows that could not be marked but are still ours, for example of a paused
 * campaign.
 */
export const NOT_MARKED_RETRY_MS = 1_000;

export type GroupDependencies = {
  readonly channelName: ChannelName;
  readonly channel: Channel;
  readonly db: Database;
  readonly accounts: Accounts;
  readonly cache: Pick<SettingsCache, 'forgetSettings'>;
  readonly recorder: Recorder;
  readonly unmapped: UnmappedErrors;
  readonly clock: Clock & Timers;
  readonly logger: Logger;
  readonly statements: Record<Lane, ChunkStatements>;
  readonly sendLeaseMs: number;
  /** Aborts when the process must exit: sends in flight are stopped. */
  readonly giveUp: AbortSignal;
};

type Group = {
  readonly campaign: CampaignToSend;
  readonly sender: Sender;
  /** Whether another account may send now what this one did not accept. */
  readonly hasNextAccount: (prepared: Prepared) => boolean;
  readonly policies: SendPolicies;
  /** At most as many rows as the ticket has slots. */
  readonly group: readonly Prepared[];
  readonly ticket: Ticket;
  /** Receives a promise for each started send, before anything else can fail. */
  readonly underway: Promise<void>[];
};

/**
 * Marks a group sending, no larger than the slots taken for it, and starts a send for each marked
 * row.
 */
export async function sendGroup(
  deps: GroupDependencies,
  { group, underway, ...shared }: Group,
): Promise<void> {
  const { campaign, policies, ticket } = shared;
  const reportUnsent = (): void => {
    ticket.observe({ status: 'not_sent' });
    ticket.release();
  };
  const askedAt = deps.clock.monotonicMs();
  const marking = await markGroupSending(deps, { campaign, policies, group }).catch(
    (error: unknown) => {
      // The rows may be marked. Nothing was sent; their leases resolve them.
      for (const _ of group) reportUnsent();
      throw error;
    },
  );
  const beginUntil = Math.min(
    deps.clock.monotonicMs() + BEGIN_WITHIN_MS,
    // The process may have been frozen since Postgres marked the rows, and others settled them.
    askedAt + deps.sendLeaseMs,
  );
  const mayBegin = (): boolean => deps.clock.monotonicMs() <= beginUntil;
  const isMarked = ({ delivery }: Prepared): boolean => marking.marked.has(targetKey(delivery));
  const marked = group.filter(isMarked);
  const notMarked = group.filter((row) => !isMarked(row));
  const lease = startSendLease(deps, marked.length);
  for (const prepared of marked) {
    const sending = sendAndRecord(deps, { ...shared, prepared, marking, lease }, mayBegin);
    // The caller awaits `underway` later, possibly after the next group; this prevents an
    // unhandled rejection.
    sending.catch(() => undefined);
    underway.push(sending);
  }
  for (const _ of notMarked) reportUnsent();
  const unsent = notMarked.map(({ delivery }) => delivery);
  await changeUnsent(deps, campaign, { rows: unsent, changes: marking.changes });
  // Release rows that are still ours: the campaign is paused, canceled or expired.
  const changed = new Set(marking.changes.map(targetKey));
  await releaseUnsent(deps, campaign.lane, {
    rows: unsent.filter((row) => !changed.has(targetKey(row))),
    delaysMs: NOT_MARKED_RETRY_MS,
  });
}

type OneSend = Omit<Group, 'group' | 'underway'> & {
  readonly prepared: Prepared;
  readonly marking: MarkedGroup;
  readonly lease: SendLease;
};

/** Each attempt is a span; recording its outcome is a child span. */
function sendAndRecord(
  deps: GroupDependencies,
  send: OneSend,
  mayBegin: () => boolean,
): Promise<void> {
  const { deliveryId, attempts } = send.prepared.delivery;
  const attributes = {
    'tidings.delivery_id': deliveryId,
    'tidings.attempt': attempts + 1,
    'tidings.channel': deps.channelName,
  };
  return inSpan({ name: `send ${deps.channelName}`, kind: 'CLIENT', attributes }, (span) =>
    sendInSpan(deps, { ...send, span }, mayBegin),
  );
}

/**
 * Sends one delivery and records its outcome.
 *
 * Invariant: when the delivery can be due again, everything its result implies is already stored.
 * And unless a repeat is idempotent, the slot is held until the outcome is stored, so a killed
 * worker leaves at most as many ambiguous sends as it has slots. The steps keep this order:
 *
 * 1. Call the channel.
 * 2. Report the result to the account: breaker and send duration.
 * 3. Pause the account if its settings are wrong; suppress an address that stays rejected.
 * 4. Decide the next state, including a retry of an unknown outcome.
 * 5. Release the slot early if a repeat is idempotent and the recorder is not behind.
 * 6. Record the outcome.
 * 7. Refund the daily cap if the message was certainly not accepted.
 * 8. Release the slot, also after an error.
 */
async function sendInSpan(
  deps: GroupDependencies,
  {
    prepared,
    campaign,
    sender,
    hasNextAccount,
    policies,
    ticket,
    marking,
    lease,
    span,
  }: OneSend & { readonly span: ActiveSpan },
  mayBegin: () => boolean,
): Promise<void> {
  const { delivery } = prepared;
  let isReleased = false;
  const releaseSlot = (): void => {
    if (!isReleased) ticket.release();
    isReleased = true;
  };
  const startedAt = deps.clock.monotonicMs();
  try {
    const message = outgoing(prepared, { campaign, sender }, mayBegin);
    const result = await callChannel(deps, message, lease);
    sendsTotal.inc({ channel: deps.channelName, status: result.status });
    const sendMs = deps.clock.monotonicMs() - startedAt;
    sendSeconds.observe({ channel: deps.channelName }, sendMs / 1000);

    ticket.observe(result, sendMs);

    if (result.status === 'configuration' && toHealthSignal(result) === 'misconfigured') {
      await deps.accounts.pause(campaign, sender, result);
      if (sender.isOneOfSeveral) deps.cache.forgetSettings(campaign.applicationId);
    }
    if (result.status === 'invalid_address' && result.suppression !== undefined)
      await suppress(deps, message, result.suppression);
    if (result.isUnmapped) deps.unmapped.count(result.providerCode);

    const retry = {
      channel: deps.channelName,
      setting: policies.resendOnUnknown,
      policy: RETRY_POLICIES[deps.channelName],
    };
    const change = retryUnknown(
      delivery,
      changeAfter(
        deps,
        { delivery, message, hasNextAccount: result.status !== 'sent' && hasNextAccount(prepared) },
        result,
      ),
      retry,
    );
    span.set({
      'tidings.outcome': change.state,
      'tidings.reason': change.reason,
      'tidings.provider_code': result.providerCode,
    });
    const outcome = {
      ...change,
      isHeard: campaign.isHeard,
      durationMs: Math.round(sendMs),
      ...(result.status === 'invalid_address' &&
        message.deviceId !== undefined && { address: message.address }),
      ...(change.state === 'sent' &&
        change.providerMessage !== undefined &&
        isNeutralResponse(change.providerMessage, message.address) && { isNeutral: true }),
    };

    if (
      marking.refund === undefined &&
      isRetryHarmless(delivery, retry) &&
      deps.recorder.canReleaseEarly()
    )
      releaseSlot();

    await inSpan({ name: 'record outcome', attributes: { 'db.system.name': 'postgresql' } }, () =>
      deps.recorder.record(outcome),
    );

    await marking.refund?.(delivery.deliveryId, result);
  } finally {
    lease.end();
    releaseSlot();
  }
}

/**
 * Suppresses an address that the provider will keep rejecting. If the write fails, the next
 * rejection suppresses it.
 */
async function suppress(
  { db, channelName, logger }: GroupDependencies,
  message: Omit<OutgoingDelivery, 'signal'>,
  reason: SuppressionReason,
): Promise<void> {
  const { applicationId, address, deliveryId } = message;
  await suppressAddress(db.sql, { applicationId, channel: channelName, address, reason }).catch(
    (error: unknown) => {
      logger.warn({ err: error, deliveryId }, 'suppression could not be stored');
    },
  );
}

/**
 * An invalid result is a bug of the channel. It counts as `unknown`, because the message may have
 * left.
 */
function changeAfter(
  { channelName, logger }: GroupDependencies,
  {
    delivery,
    message,
    hasNextAccount,
  }: {
    readonly delivery: ClaimedDelivery;
    readonly message: Pick<OutgoingDelivery, 'message'>;
    readonly hasNextAccount: boolean;
  },
  result: SendResult,
): StateChange {
  try {
    return stateAfterSend(delivery, result, {
      ...RETRY_POLICIES[channelName],
      isNowOrNever: isNowOrNever(channelName, message),
      hasNextAccount,
    });
  } catch (error) {
    logger.error(
      { err: error, deliveryId: delivery.deliveryId },
      'channel returned an invalid result',
    );
    return stateAfterSend(delivery, { status: 'unknown' }, RETRY_POLICIES[channelName]);
  }
}

/**
 * Whether the message has a ttl of 0, which allows no retry. Channels without a ttl ignore the
 * field.
 */
function isNowOrNever(
  channelName: ChannelName,
  { message }: Pick<OutgoingDelivery, 'message'>,
): boolean {
  const { hasTtl } = CHANNEL_DESCRIPTORS[channelName].expiry;
  return hasTtl && Number(message['ttl'] ?? NaN) === 0;
}

/**
 * Calls the channel. Returns `unknown` if it throws or returns no result: the message may have left
 * and must not be repeated.
 */
async function callChannel(
  { channel, logger }: GroupDependencies,
  message: Omit<OutgoingDelivery, 'signal'>,
  { signal, overdue }: SendLease,
): Promise<SendResult> {
  try {
    const result = await Promise.race([channel.send({ ...message, signal }), overdue]);
    if (typeof (result as Partial<SendResult> | undefined)?.status !== 'string')
      throw new Error('the channel returned no result');
    return result;
  } catch (error) {
    logger.error({ err: error, deliveryId: message.deliveryId }, 'channel failed unexpectedly');
    return { status: 'unknown' };
  }
}
