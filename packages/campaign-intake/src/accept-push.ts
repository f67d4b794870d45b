import type { Warning } from '@tidings/contracts/errors/error-codes';
import type {
  CampaignSource,
  DryRunAnswer,
  PushAccepted,
  SegmentDryRunAnswer,
  SegmentPushAccepted,
} from '@tidings/contracts/push/campaigns';
import { expiryMs } from '@tidings/contracts/push/expiry';
import type { NewCampaign } from '@tidings/delivery/accept';
import type { Repetition } from '@tidings/delivery/idempotency-keys';
import { sendJson } from '@tidings/http/answer';
import type { Answer } from '@tidings/http/request-value';
import {
  AppError,
  currentTraceparent,
  retryAfterSeconds,
  type Clock,
  type Ids,
  type Logger,
} from '@tidings/platform';
import { isDatabaseUnavailable, type Database } from '@tidings/postgres/database';
import type { Questions } from '@tidings/segments/questions';
import type { CampaignQueue } from './campaign-queue.ts';
import type { CampaignBatcher } from './campaign-batcher.ts';
import { acceptDraft, type DraftToSend } from './accept-draft.ts';
import { dryRun } from './dry-run.ts';
import type { Push } from './read-push.ts';
import { resolveAudience, type ResolvedAudience } from './resolve-audience.ts';
import { resolveTemplates, type ResolvedPush } from './resolve-templates.ts';
import { holdFor, resolveSchedule, type ResolvedSchedule } from './schedule.ts';
import {
  dryRunSegment,
  estimateAudience,
  findRepetition,
  joinWarnings,
  slowWarnings,
} from './segment-push.ts';
import { withChannelWarning } from './warnings.ts';

export type PushDependencies = {
  readonly db: Database;
  /**
   * Estimates and counts the users of a segment. Null in a service whose database role may not read
   * what conditions ask: its answers have no counts.
   */
  readonly questions: Questions | null;
  readonly deliveryRetentionDays: number;
  readonly campaigns: Pick<CampaignBatcher, 'accept'>;
  readonly campaignQueue: Pick<CampaignQueue, 'enqueue'>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
};

/** The sender of a campaign, and its request. */
export type Sender = {
  readonly applicationId: string;
  readonly source: Exclude<CampaignSource, 'automation'>;
  readonly createdBy: string;
  readonly requestId: string;
};

type Submission = Sender & {
  /** Goes when the campaign is stored. */
  readonly draft?: DraftToSend | null;
  /** How much later one without a time of its own begins. */
  readonly holdMs?: number;
};

/**
 * `replayed`: the response to an earlier request with the same Idempotency-Key. `dry_run`: nothing
 * is sent or stored.
 */
export type PushAnswer =
  | {
      readonly outcome: 'accepted' | 'replayed';
      readonly campaignId: string;
      readonly body: Accepted;
    }
  | { readonly outcome: 'dry_run'; readonly body: DryRunAnswer | SegmentDryRunAnswer };

type Accepted = PushAccepted | SegmentPushAccepted;

const CANNOT = 'The request could not be processed right now. Try again.';

/**
 * Stores the campaign durably and queues it; sending starts after the response. A request with a
 * known Idempotency-Key gets the response of the first one. A dry run only reports who would be
 * reached.
 * @throws AppError `idempotency_conflict`, `validation_failed` for a template that does not exist, or
 * `unavailable` if Postgres did not confirm in time
 */
export async function acceptPush(
  deps: PushDependencies,
  push: Push,
  { draft = null, holdMs = 0, ...sender }: Submission,
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
  const { applicationId } = sender;
  const { audience } = push;
  if (push.isDryRun) {
    const schedule = await orUnavailable(resolveTime(deps.db, push));
    const resolved = await orUnavailable(resolveTemplates(deps.db, applicationId, push));
    const body = await orUnavailable<DryRunAnswer | SegmentDryRunAnswer>(
      audience === null
        ? dryRun(deps.db, applicationId, resolved)
        : dryRunSegment(deps, applicationId, { ...resolved, audience }),
    );
    return {
      outcome: 'dry_run',
      body: { ...body, warnings: joinWarnings(body.warnings, schedule?.warnings ?? []) },
    };
  }

  const campaignId = deps.ids.uuid();
  if (audience !== null || push.schedule !== null || push.templateNames !== null) {
    // Before its segment and templates are looked for, which may be deleted by now, and its time
    // compared.
    const { idempotency } = push;
    const repetition = await orUnavailable(
      findRepetition(deps.db, { applicationId, campaignId, idempotency }),
    );
    if (repetition !== null) return answerStored(repetition);
  }
  const recipients = await orUnavailable(describeRecipients(deps, push, applicationId));
  const schedule = await orUnavailable(resolveTime(deps.db, push, holdMs));
  const resolved = await orUnavailable(resolveTemplates(deps.db, applicationId, push));
  const { campaign, answer } = begin(deps, resolved, {
    ...sender,
    ...recipients,
    campaignId,
    schedule,
  });
  const accepted = await orUnavailable(
    draft === null
      ? deps.campaigns.accept(campaign, resolved.bytes)
      : acceptDraft(deps.db, campaign, draft),
  );
  if (accepted.outcome !== 'accepted') return answerStored(accepted);
  if (answer.status === 'queued') deps.campaignQueue.enqueue(campaignId);
  return {
    outcome: 'accepted',
    campaignId,
    body: { ...answer, warnings: withChannelWarning(answer.warnings, accepted.isUntested) },
  };
}

/** @throws AppError `idempotency_conflict` */
function answerStored(repetition: Repetition): PushAnswer {
  if (repetition.outcome === 'conflict')
    throw new AppError(
      'idempotency_conflict',
      'This Idempotency-Key was used with a different body before.',
    );
  const first = JSON.parse(repetition.answer) as Accepted;
  return {
    outcome: 'replayed',
    campaignId: first.campaignId,
    body: { ...first, warnings: withChannelWarning(first.warnings, repetition.isUntested) },
  };
}

async function resolveTime(
  db: Database,
  { schedule }: Push,
  holdMs = 0,
): Promise<ResolvedSchedule | null> {
  if (schedule !== null) return resolveSchedule(db, schedule);
  return holdMs === 0 ? null : holdFor(db, holdMs);
}

type Recipients = {
  readonly audience: ResolvedAudience['stored'] | null;
  readonly recipients: Accepted['recipients'];
  readonly warnings: readonly Warning[];
};

/** What the answer says about the recipients; of a segment, what the campaign keeps. */
async function describeRecipients(
  { db, questions, deliveryRetentionDays }: PushDependencies,
  { recipients, audience, warnings }: Push,
  applicationId: string,
): Promise<Recipients> {
  if (audience === null)
    return {
      audience: null,
      recipients: { requested: recipients.length, unique: new Set(recipients).size },
      warnings,
    };
  const resolved = await resolveAudience(db.sql, applicationId, {
    ...audience,
    deliveryRetentionDays,
  });
  const { stored } = resolved;
  const estimate = questions === null ? null : await estimateAudience(questions, resolved);
  return {
    audience: stored,
    recipients: { segment: stored.segment, estimated: estimate?.count ?? null },
    warnings: joinWarnings(
      warnings,
      resolved.warnings,
      await slowWarnings(db, applicationId, { stored, estimate }),
    ),
  };
}

/** A campaign that is not stored yet, and the response for its caller. */
function begin(
  { clock }: PushDependencies,
  push: ResolvedPush,
  {
    campaignId,
    audience,
    recipients: described,
    warnings,
    schedule,
    ...sender
  }: Sender &
    Recipients & { readonly campaignId: string; readonly schedule: ResolvedSchedule | null },
): { readonly campaign: NewCampaign; readonly answer: Accepted } {
  const { name, tags, channel, message, templates, recipients, purpose, traceId, idempotency } =
    push;
  const { winner } = push;
  const createdAt = clock.now();
  const answer = {
    campaignId,
    ...(schedule?.isLater === true
      ? { status: 'scheduled', sendAt: schedule.sendAt }
      : { status: 'queued' }),
    channel,
    recipients: described,
    createdAt,
    requestId: sender.requestId,
    warnings: joinWarnings(warnings, schedule?.warnings ?? []),
  } as Accepted;
  return {
    campaign: {
      ...sender,
      campaignId,
      name,
      tags,
      channel,
      purpose,
      message,
      templates,
      winner,
      recipients,
      ...(audience !== null && { audience }),
      ...(schedule !== null && { schedule }),
      traceId,
      traceparent: currentTraceparent(),
      createdAt,
      expiresAt: Math.max(createdAt, schedule?.lastAt ?? 0) + expiryMs(channel, message),
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
