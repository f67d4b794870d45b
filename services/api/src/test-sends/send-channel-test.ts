import {
  markChannelReady,
  type ChannelAccount,
  type ChannelSettings,
} from '@tidings/accounts/channel-settings';
import { resumeAccounts } from '@tidings/channel-breakers/account-pauses';
import type { Bounce } from '@tidings/contracts/push/bounces';
import { acceptCampaign } from '@tidings/delivery/accept';
import { resumeChannel } from '@tidings/delivery/channel-pauses';
import { currentTraceparent, traceIdFrom } from '@tidings/platform';
import type { ApiDependencies } from '../dependencies.ts';
import { SUCCEEDED, waitForOutcome } from './wait-for-outcome.ts';

/** The result of a test send, with the provider's response. */
type TestSendResult = {
  readonly ok: boolean;
  readonly status: string;
  readonly reason?: string;
  readonly providerCode?: string;
  readonly providerMessage?: string;
  readonly bounce?: Bounce;
  readonly durationMs: number;
};

const EXPIRY_MS = 60_000;

/**
 * Sends one message by an account the same way as a campaign and waits for its outcome. Success makes
 * the account ready, unless its settings changed meanwhile.
 */
export async function sendTest(
  { db, clock, ids, testSendTimeoutMs }: ApiDependencies,
  input: {
    readonly settings: ChannelSettings;
    readonly account: ChannelAccount;
    readonly to: string;
    readonly actor: string;
    readonly requestId: string;
  },
): Promise<TestSendResult> {
  const { settings, to } = input;
  const { applicationId, channel, version, others } = settings;
  const account = input.account.name;
  const campaignId = ids.uuid();
  const startedAt = clock.monotonicMs();
  const createdAt = clock.now();
  await acceptCampaign(db, {
    campaignId,
    applicationId,
    channel,
    ...(others.length > 0 && { account }),
    purpose: 'transactional',
    source: 'test',
    message: {
      title: 'Test send',
      body: `This is a test send of the ${channel} channel. It arrived, so the channel works.`,
    },
    recipients: [to],
    createdBy: input.actor,
    requestId: input.requestId,
    traceId: traceIdFrom(currentTraceparent()),
    traceparent: currentTraceparent(),
    createdAt,
    expiresAt: createdAt + EXPIRY_MS,
  });

  const delivery = await waitForOutcome(db, campaignId, testSendTimeoutMs);
  const durationMs = Math.round(clock.monotonicMs() - startedAt);
  if (delivery === null) return { ok: false, status: 'pending', durationMs };
  // A worker of 0.1.0 sends by the first account, whichever is meant.
  const isByAccount = others.length === 0 || delivery.account === account;
  const isSent = SUCCEEDED.has(delivery.status) && isByAccount;
  if (isSent) {
    const tested = { applicationId, channel, version, account };
    await markChannelReady(db, tested);
    await resumeAccounts(db.sql, tested);
    await resumeChannel(db, tested);
  }
  return {
    ok: isSent,
    status: delivery.status,
    ...(delivery.reason !== null && { reason: delivery.reason }),
    ...(delivery.providerCode !== null && { providerCode: delivery.providerCode }),
    ...(delivery.providerMessage !== null && { providerMessage: delivery.providerMessage }),
    ...(delivery.bounce !== null && { bounce: delivery.bounce }),
    durationMs,
  };
}
