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
import type { CompiledMessage } from '@tidings/liquid/compile-message';
import { readNamedBlocks } from '@tidings/templates/named-blocks';
import { renderPool } from '@tidings/templates/process-pool';
import type { ApiDependencies } from '../dependencies.ts';
import { answered } from '../http/user-questions.ts';
import { answerRendered } from './answer-rendered.ts';

/** Stands for the campaign, which there is none of yet. */
const PREVIEW_CAMPAIGN_ID = '00000000-0000-0000-0000-000000000000';

export type PreviewDependencies = Pick<
  ApiDependencies,
  'db' | 'questions' | 'deliveryRetentionDays'
>;

/**
 * Checks a template, and renders it for a user if one is named.
 * @throws AppError `validation_failed`, or `not_found` for a user who is not registered
 */
export async function previewTemplate(
  { db, questions, deliveryRetentionDays }: PreviewDependencies,
  applicationId: string,
  { customUserId, ...submitted }: SubmittedContent & { readonly customUserId?: string },
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
  const answer = { variables: listVariables(checked.variables), warnings };
  if (customUserId === undefined) return answer;

  const user = await readUser(db, applicationId, customUserId);
  if (user === null)
    throw new AppError('not_found', 'No user with this customUserId is registered.');
  return { ...answer, ...(await renderFor({ questions }, content, { context, user })) };
}

type ForUser = { readonly context: ConditionContext; readonly user: UserRecord };

/** @throws AppError `unavailable` */
async function renderFor(
  { questions }: Pick<PreviewDependencies, 'questions'>,
  { channel, message, variants }: TemplateContent,
  { context, user }: ForUser,
) {
  const { applicationId } = context;
  const { customAttributes, ...fields } = user.profile;
  const { customUserId, registeredAt } = user;
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
        campaignId: PREVIEW_CAMPAIGN_ID,
        channel,
        message: { key: null, message: variant?.message ?? message },
        users: [{ customUserId, registeredAt, fields, customAttributes }],
      });
      return { variant: variant?.name ?? null, ...answerRendered(itemAt(rendered, 0)) };
    }),
    'A condition took too long. Narrow it, or retry.',
  );
}

/** The variables of all messages; required where one of them requires it. */
function listVariables(variables: CompiledMessage['variables']) {
  const required = new Map<string, boolean>();
  for (const { name, isRequired } of variables)
    required.set(name, isRequired || required.get(name) === true);
  return [...required]
    .map(([name, isRequired]) => ({ name, isRequired }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
