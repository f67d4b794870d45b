import type { TemplateContent } from '@tidings/contracts/push/templates';
import { readUser, type UserRecord } from '@tidings/people/users';
import { AppError, itemAt } from '@tidings/platform';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { askUsers } from '@tidings/segments/ask-users';
import { readConditionContext } from '@tidings/segments/segments';
import {
  checkContent,
  checkMessages,
  type SubmittedContent,
} from '@tidings/templates/check-content';
import { chooseVariants } from '@tidings/templates/choose-variants';
import { mergeVariables, type TemplateVariable } from '@tidings/liquid/variables';
import type { TriggerEvent } from '@tidings/contracts/automations/trigger-event';
import { readNamedBlocks } from '@tidings/templates/named-blocks';
import { renderPool } from '@tidings/templates/process-pool';
import { sampleEvent } from '@tidings/templates/sample-event';
import type { ApiDependencies } from '../dependencies.ts';
import { answered } from '../http/user-questions.ts';
import { answerRendered } from './answer-rendered.ts';

/** Stands for the campaign and the run, which there are none of yet. */
const PREVIEW_ID = '00000000-0000-0000-0000-000000000000';

export type PreviewDependencies = Pick<
  ApiDependencies,
  'db' | 'questions' | 'deliveryRetentionDays'
>;

type ToPreview = SubmittedContent & {
  readonly customUserId?: string;
  /** The event that a message of an automation shows. Default: a sample. */
  readonly event?: Partial<TriggerEvent>;
};

/**
 * Checks a template, and renders it for a user if one is named.
 * @throws AppError `validation_failed`, or `not_found` for a user who is not registered
 */
export async function previewTemplate(
  { db, questions, deliveryRetentionDays }: PreviewDependencies,
  applicationId: string,
  { customUserId, event, ...submitted }: ToPreview,
) {
  const blocks = await readNamedBlocks(db.sql, applicationId, submitted);
  const messages = await checkMessages(applicationId, submitted, blocks);
  const context = await readConditionContext(db.sql, applicationId, { deliveryRetentionDays });
  const checked = checkContent(messages, context);
  if (!checked.ok)
    throw new AppError('validation_failed', 'The template is not valid.', {
      errors: [...checked.errors],
    });
  const { content, warnings } = checked;
  const variables = mergeVariables(checked.variables);
  const answer = {
    variables: variables.map(({ name, isRequired }) => ({ name, isRequired })),
    warnings,
  };
  if (customUserId === undefined) return answer;

  const user = await readUser(db, applicationId, customUserId);
  if (user === null)
    throw new AppError('not_found', 'No user with this customUserId is registered.');
  const shown = eventFor(variables, event);
  return {
    ...answer,
    ...(await renderFor({ questions }, content, { context, user, event: shown })),
    ...(shown !== null && { event: shown }),
  };
}

/** The event of a preview; null: the messages name none. */
function eventFor(
  variables: readonly TemplateVariable[],
  given: Partial<TriggerEvent> | undefined,
): TriggerEvent | null {
  if (!variables.some(({ path }) => path[0] === 'event')) return null;
  const sample = sampleEvent(variables, Date.now());
  // What is left out of a given event is missing, as it may be when it happens.
  return given === undefined
    ? sample
    : { ...sample, attributes: {}, revenue: null, currency: null, ...given };
}

type ForUser = {
  readonly context: ConditionContext;
  readonly user: UserRecord;
  readonly event: TriggerEvent | null;
};

/** @throws AppError `unavailable` */
async function renderFor(
  { questions }: Pick<PreviewDependencies, 'questions'>,
  { channel, message, variants }: TemplateContent,
  { context, user, event }: ForUser,
) {
  const { applicationId } = context;
  const { customAttributes, ...fields } = user.profile;
  const { customUserId, registeredAt } = user;
  const sent = { event, run: { id: PREVIEW_ID, enteredAt: Date.now() } };
  return answered(
    // Renderings of an application take turns, too: one that asks for many waits here.
    await questions.withPlace(applicationId, async (db) => {
      const chosen =
        variants.length === 0
          ? new Map<string, number>()
          : await askUsers(db, (sql, now) =>
              chooseVariants(sql, { context, variants, customUserIds: [customUserId], now }),
            );
      if (chosen === 'timed_out') return chosen;
      const variant = variants[chosen.get(customUserId) ?? -1];
      const rendered = await renderPool.render({
        applicationId,
        campaignId: PREVIEW_ID,
        channel,
        message: { key: null, message: variant?.message ?? message },
        users: [{ customUserId, registeredAt, fields, customAttributes, context: sent }],
      });
      return { variant: variant?.name ?? null, ...answerRendered(itemAt(rendered, 0)) };
    }),
    'A condition took too long. Narrow it, or retry.',
  );
}
