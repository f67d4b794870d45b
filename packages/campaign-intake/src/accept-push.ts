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
  type Clock,
  type Ids,
  type Logger,
} from '@tidings/platform';
import { isDatabaseUnavailable, type Database } from '@tidings/postgres/database';
import type { ServerResponse } from 'node:http';
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

/** Who sends, and by which request. */
export type Sender = {
  readonly applicationId: string;
  readonly source: CampaignSource;
  readonly createdBy: string;
  readonly requestId: string;
};

/** `replayed`: it is the answer to an earlier request with this Idempotency-Key. `rehearsed`: nothing is sent or stored. */
export type PushAnswer =
  | {
      readonly outcome: 'accepted' | 'replayed';
      readonly campaignId: string;
      readonly body: PushAccepted;
    }
  | { readonly outcome: 'rehearsed'; readonly body: DryRunAnswer };

const CANNOT = 'The request could not be handled right now. Try again.';

/**
 * Stores the campaign of a push durably and announces it; sending begins behind the answer. A repetition, by its
 * Idempotency-Key, gets the answer of the first. A dry run only tells who would be reached.
 * @throws AppError `idempotency_conflict`, or `unavailable` when Postgres did not confirm in time
 */
export async function acceptPush(
  deps: PushDependencies,
  push: Push,
  sender: Sender,
): Promise<PushAnswer> {
  const orUnavailable = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      // The push deadline may be Postgres's statement timeout too, which counts as away; anything else is a bug.
      const isUnavailable = error instanceof AppError && error.code === 'unavailable';
      if (!isUnavailable && !isDatabaseUnavailable(error)) throw error;
      deps.logger.warn({ err: error, requestId: sender.requestId }, 'push could not be handled');
      throw isUnavailable
        ? error
        : new AppError('unavailable', CANNOT, {
            cause: error,
            retryAfterSeconds: retryAfterSeconds(),
          });
    });
  if (push.isDryRun)
    return {
      outcome: 'rehearsed',
      body: await orUnavailable(dryRun(deps.db, sender.applicationId, push)),
    };

  const { campaign, answer } = begin(deps, push, sender);
  const accepted = await orUnavailable(deps.campaigns.accept(campaign, push.bytes));
  switch (accepted.outcome) {
    case 'conflict':
      throw new AppError(
        'idempotency_conflict',
        'This Idempotency-Key came with another body before.',
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

/** A campaign that is not stored yet, and what its caller will be told. */
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

/** The answer as HTTP: where the campaign can be read, and whether it was there before. */
export function sendPushAnswer(res: ServerResponse, answer: PushAnswer): void {
  if (answer.outcome !== 'rehearsed')
    res.setHeader('Location', `/api/v1/campaigns/${answer.campaignId}`);
  if (answer.outcome === 'replayed') res.setHeader('Idempotent-Replay', 'true');
  sendJson(res, answer.body);
}

/** A message with a ttl of 0 is sent now or never. */
const NOW_OR_NEVER_MS = 60_000;

/** Milliseconds after acceptance during which this message may be handed to its provider. */
export function expiryMs(channel: Channel, message: PushMessage): number {
  const { ttl } = message;
  const { defaultMs, hasTtl } = CHANNEL_DESCRIPTORS[channel].expiry;
  if (!hasTtl || (typeof ttl !== 'number' && typeof ttl !== 'bigint')) return defaultMs;
  return Number(ttl) === 0 ? NOW_OR_NEVER_MS : Math.min(Number(ttl), LIMITS.ttlSecondsMax) * 1000;
}
