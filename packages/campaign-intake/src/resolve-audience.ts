import type { FieldError, Warning } from '@tidings/contracts/errors/error-codes';
import type { PushSegment, StoredAudience } from '@tidings/contracts/push/push-audience';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { AppError } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import { audienceCondition } from '@tidings/segments/audience';
import type { MessageRetention } from '@tidings/segments/condition-context';
import type { Question } from '@tidings/segments/members';
import { readCondition } from '@tidings/segments/read-condition';
import { readConditionContext } from '@tidings/segments/segments';

/** Whom a push to a segment names. A condition is not checked yet. */
export type PushAudience = {
  readonly segment: PushSegment;
  readonly exclude: string | null;
  readonly recheck: boolean;
};

/** An audience that exists now: what the campaign stores, and the question about its users. */
export type ResolvedAudience = {
  readonly stored: StoredAudience;
  readonly asked: Omit<Question, 'now'>;
  readonly warnings: readonly Warning[];
};

/**
 * Checks what only the application knows: its segments, and the definitions of a condition.
 * @throws AppError `validation_failed`; faults of a condition are below `/segment/condition`
 */
export async function resolveAudience(
  sql: Sql,
  applicationId: string,
  { segment, exclude, recheck, deliveryRetentionDays }: PushAudience & MessageRetention,
): Promise<ResolvedAudience> {
  const context = await readConditionContext(sql, applicationId, { deliveryRetentionDays });
  const errors: FieldError[] = [];
  const named = (slug: string, pointer: string): Condition => {
    if (!context.segments.has(slug))
      errors.push({ pointer, code: 'invalid_value', expected: 'the slug of a segment' });
    return { segment: slug };
  };
  let own: Condition | null = null;
  let warnings: readonly Warning[] = [];
  if (typeof segment !== 'string') {
    const read = readCondition(segment.condition, context, '/segment/condition');
    if (read.ok) ({ condition: own, warnings } = read);
    else errors.push(...read.errors);
  }
  const members = typeof segment === 'string' ? named(segment, '/segment') : own;
  const excluded = exclude === null ? null : named(exclude, '/exclude');
  if (errors.length > 0 || members === null)
    throw new AppError('validation_failed', 'The request is not valid. Nothing was sent.', {
      errors,
    });
  return {
    stored: {
      segment: typeof segment === 'string' ? segment : null,
      version: null,
      condition: own,
      exclude: exclude === null ? null : { segment: exclude, version: null, condition: null },
      recheck,
    },
    asked: { context, condition: audienceCondition(members, excluded) },
    warnings,
  };
}
