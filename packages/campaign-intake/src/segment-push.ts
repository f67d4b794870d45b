import { WARNINGS_MAX, type Warning } from '@tidings/contracts/errors/error-codes';
import type { SegmentDryRunAnswer } from '@tidings/contracts/push/campaigns';
import type { LeafOf } from '@tidings/contracts/segments/leaves/descriptors';
import { findAnswers, type Repetition } from '@tidings/delivery/idempotency-keys';
import { hasBeenSlow } from '@tidings/delivery/slow-lane';
import { TooManyPersons } from '@tidings/folds/memory';
import { readReachability } from '@tidings/people/reachability';
import { AppError } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { countOthers } from '@tidings/segments/members';
import { isUnanswered } from '@tidings/segments/question-queue';
import type { MessageRetention } from '@tidings/segments/condition-context';
import type { Questions } from '@tidings/segments/questions';
import { lackingConditions } from './count-lacking.ts';
import type { Push } from './read-push.ts';
import { byName, requiredVariables, type RequiredVariables } from './required-variables.ts';
import type { ResolvedPush } from './resolve-templates.ts';
import { resolveAudience, type PushAudience, type ResolvedAudience } from './resolve-audience.ts';
import { withChannelWarning } from './warnings.ts';

/** Busy and slow questions alike: a later one may find fewer waiting, or a warm cache. */
const RETRY_AFTER_SECONDS = 5;

/** An estimate asks 2,000 users, which takes milliseconds for most conditions. */
const SLOW_ESTIMATE_MS = 2_000;

export type AudienceEstimate = {
  /** About how many users are in it now, before they are read; null if others ask or it takes too long. */
  readonly count: number | null;
  readonly isSlow: boolean;
};

/** The campaign is stored in any case: it reads its users without such haste. */
export async function estimateAudience(
  questions: Pick<Questions, 'estimate'>,
  { asked }: Pick<ResolvedAudience, 'asked'>,
): Promise<AudienceEstimate> {
  const answer = await questions.estimate(asked);
  return isUnanswered(answer)
    ? { count: null, isSlow: answer === 'timed_out' }
    : { count: answer.estimate.count, isSlow: answer.tookMs >= SLOW_ESTIMATE_MS };
}

const SLOW_SEGMENT: Warning = {
  code: 'slow_segment',
  pointer: '/segment',
  detail:
    'Finding users of this segment takes long. If they cannot be read within 15 s, the campaign waits for a try of 10 min. Shorten the windows of its condition, or remove leaves about events.',
};

/** Warns of an audience whose users take long to find, by its estimate or by earlier campaigns. */
export async function slowWarnings(
  db: Database,
  applicationId: string,
  {
    stored,
    estimate = null,
  }: Pick<ResolvedAudience, 'stored'> & { readonly estimate?: AudienceEstimate | null },
): Promise<readonly Warning[]> {
  const isSlow = estimate?.isSlow === true || (await hasBeenSlow(db, applicationId, stored));
  return isSlow ? [SLOW_SEGMENT] : [];
}

/**
 * The answer of a dry run to a segment: how many are in it, and how many of them the channel
 * reaches, and lack a variable. Exact at this moment; null without `questions`.
 * @throws AppError `validation_failed`, or `unavailable` if it is busy or takes too long
 */
export async function dryRunSegment(
  {
    db,
    questions,
    deliveryRetentionDays,
  }: MessageRetention & { readonly db: Database; readonly questions: Questions | null },
  applicationId: string,
  {
    channel,
    purpose,
    warnings,
    templates,
    audience,
  }: ResolvedPush & { readonly audience: PushAudience },
): Promise<SegmentDryRunAnswer> {
  const resolved = await resolveAudience(db.sql, applicationId, {
    ...audience,
    deliveryRetentionDays,
  });
  const { isUntested } = await readReachability(db, {
    applicationId,
    channel,
    purpose,
    recipients: [],
  });
  const required =
    templates === null ? null : await requiredVariables(applicationId, channel, templates);
  const { count, reachable, unrenderable } =
    questions === null
      ? { count: null, reachable: null, unrenderable: null }
      : await countAudience(questions, resolved, {
          reach: { reachable: channel, purpose },
          required,
        });
  return {
    dryRun: true,
    channel,
    recipients: { segment: resolved.stored.segment, count },
    reachable,
    ...(unrenderable !== null && { unrenderable }),
    warnings: withChannelWarning(
      joinWarnings(warnings, resolved.warnings, await slowWarnings(db, applicationId, resolved)),
      isUntested,
    ),
  };
}

async function countAudience(
  questions: Questions,
  { asked }: ResolvedAudience,
  {
    reach,
    required,
  }: { readonly reach: LeafOf<'reachable'>; readonly required: RequiredVariables | null },
) {
  const { memoryMiB } = questions;
  const others = [reach, ...(required === null ? [] : lackingConditions(required))];
  const counted = await questions
    .ask(asked.context.applicationId, (sql, now) =>
      countOthers(sql, { ...asked, memoryMiB, now }, others),
    )
    .catch(tooManyPersons);
  if (counted === 'busy')
    throw unavailable('Many questions about users wait right now. Try again in a few seconds.');
  if (counted === 'timed_out')
    throw unavailable('The answer took too long. Narrow the condition, or retry.');
  const [reachable = 0, ...lacking] = counted.counts;
  return {
    count: counted.count,
    reachable,
    unrenderable: required === null ? null : byName(required, lacking),
  };
}

/** @throws AppError `validation_failed` */
function tooManyPersons(error: unknown): never {
  if (!(error instanceof TooManyPersons)) throw error;
  throw new AppError('validation_failed', 'The request is not valid. Nothing was sent.', {
    errors: [
      {
        pointer: '/segment',
        code: 'too_many',
        expected: 'fewer persons in its funnels: a shorter time in which they entered',
      },
    ],
  });
}

const unavailable = (detail: string): AppError =>
  new AppError('unavailable', detail, { retryAfterSeconds: RETRY_AFTER_SECONDS });

/** The stored result of a repeated request; null for a new one. */
export async function findRepetition(
  db: Database,
  {
    applicationId,
    campaignId,
    idempotency,
  }: Pick<Push, 'idempotency'> & { readonly applicationId: string; readonly campaignId: string },
): Promise<Repetition | null> {
  if (idempotency === null) return null;
  const answers = await findAnswers(db, [
    { applicationId, campaignId, idempotency: { ...idempotency, answer: '' } },
  ]);
  return answers.get(campaignId) ?? null;
}

export const joinWarnings = (...lists: readonly (readonly Warning[])[]): readonly Warning[] =>
  lists.flat().slice(0, WARNINGS_MAX);
