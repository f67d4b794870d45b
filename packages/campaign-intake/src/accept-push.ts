import {
  CHANNEL_DESCRIPTORS,
  LIMITS,
  type CampaignSource,
  type Channel,
  type DryRunAnswer,
  type PushAccepted,
  type PushMessage,
} from '@tidings/contracts';
import type { NewCampaign } from '@tidings/delivery/accept';
import {
  AppError,
  currentTraceparent,
  retryAfterSeconds,
  sendJson,
  type Answer,
  type Clock,
  type Ids,
  type Logger,
} from '@tidings/platform';
import { isDatabaseUnavailable, type Database } from '@tidings/postgres/database';
import type { CampaignQueue } from './campaign-queue.ts';
import type { CampaignBatcher } from './campaign-batcher.ts';
import { dryRun } from './dry-run.ts';
import type { Push } from './read-push.ts';
import { withChannelWarning } from './warnings.ts';

export type PushDependencies = {
  readonly db: Database;
  readonly campaigns: Pick<CampaignBatcher, 'accept'>;
  readonly campaignQueue: Pick<CampaignQueue, 'enqueue'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
};

/** The sender of a campaign, and its request. */
export type Sender = {
  readonly applicationId: string;
  readonly source: CampaignSource;
  readonly createdBy: string;
  readonly requestId: string;
};

/**
 * `replayed`: the response to an earlier request with the same Idempotency-Key. `dry_run`: nothing
 * is sent or stored.
 */
export type PushAnswer =
  | {
      readonly outcome: 'accepted' | 'replayed';
      readonly campaignId: string;
      readonly body: PushAccepted;
    }
  | { readonly outcome: 'dry_run'; readonly body: DryRunAnswer };

const CANNOT = 'The request could not be processed right now. Try again.';

/**
 * Stores the campaign durably and queues it; sending starts after the response. A request with a
 * known Idempotency-Key gets the response of the first one. A dry run only reports who would be
 * reached.
 * @throws AppError `idempotency_conflict`, or `unavailable` if Postgres did not confirm in time
 */
export async function acceptPush(
  deps: PushDependencies,
  push: Push,
  sender: Sender,
): Promise<PushAnswer> {
  const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      // PUSH_DEADLINE_MS is also the statement timeout of the gateway, which counts as unavailable.
      // Anything else is a bug.
      const isUnavailable = error instanceof AppError && error.code === 'unavailable';
      if (!isUnavailable && !isDatabaseUnavailable(error)) throw error;
      deps.logger.warn({ err: error, requestId: sender.requestId }, 'campaign could not be stored');
      throw isUnavailable
        ? error
        : new AppError('unavailable', CANNOT, {
            cause: error,
            retryAfterSeconds: retryAfterSeconds(),
          });
    });
  if (push.isDryRun)
    return {
      outcome: 'dry_run',
      body: await orUnavailable(dryRun(deps.db, sender.applicationId, push)),
    };

  const { campaign, answer } = begin(deps, push, sender);
  const accepted = await orUnavailable(deps.campaigns.accept(campaign, push.bytes));
  switch (accepted.outcome) {
    case 'conflict':
      throw new AppError(
        'idempotency_conflict',
        'This Idempotency-Key was used with a different body before.',
      );
    case 'replayed': {
      const first = JSON.parse(accepted.answer) as PushAccepted;
      return {
        outcome: 'replayed',
        campaignId: first.campaignId,
        body: { ...first, warnings: withChannelWarning(first.warnings, accepted.isUntested) },
      };
    }
    case 'accepted':
      deps.campaignQueue.enqueue(campaign.campaignId);
      return {
        outcome: 'accepted',
        campaignId: campaign.campaignId,
        body: { ...answer, warnings: withChannelWarning(answer.warnings, accepted.isUntested) },
      };
  }
}

/** A campaign that is not stored yet, and the response for its caller. */
function begin(
  { clock, ids }: PushDependencies,
  push: Push,
  sender: Sender,
): { readonly campaign: NewCampaign; readonly answer: PushAccepted } {
  const { channel, message, recipients, purpose, warnings, traceId, idempotency } = push;
  const campaignId = ids.uuid();
  const createdAt = clock.now();
  const answer: PushAccepted = {
    campaignId,
    status: 'queued',
    channel,
    recipients: { requested: recipients.length, unique: new Set(recipients).size },
    createdAt,
    requestId: sender.requestId,
    warnings,
  };
  return {
    campaign: {
      ...sender,
      campaignId,
      channel,
      purpose,
      message,
      recipients,
      traceId,
      traceparent: currentTraceparent(),
      createdAt,
      expiresAt: createdAt + expiryMs(channel, message),
      ...(idempotency !== null && {
        idempotency: { ...idempotency, answer: JSON.stringify(answer) },
      }),
    },
    answer,
  };
}

/** Sends the response: the campaign's location, and whether this is a replay. */
export function sendPushAnswer(res: Answer, answer: PushAnswer): void {
  const headers =
    answer.outcome === 'dry_run' ? [] : ['Location', `/api/v1/campaigns/${answer.campaignId}`];
  if (answer.outcome === 'replayed') headers.push('Idempotent-Replay', 'true');
  sendJson(res, JSON.stringify(answer.body), headers);
}

/** The lifetime of a message with a ttl of 0, which means "now or never". */
const NOW_OR_NEVER_MS = 60_000;

/** Milliseconds after acceptance during which the message may be passed to its provider. */
export function expiryMs(channel: Channel, message: PushMessage): number {
  const { ttl } = message;
  const { defaultMs, hasTtl } = CHANNEL_DESCRIPTORS[channel].expiry;
  if (!hasTtl || (typeof ttl !== 'number' && typeof ttl !== 'bigint')) return defaultMs;
  return Number(ttl) === 0 ? NOW_OR_NEVER_MS : Math.min(Number(ttl), LIMITS.ttlSecondsMax) * 1000;
}
