import type { TemplateContent } from '@tidings/contracts';
import { readUser } from '@tidings/people/users';
import { AppError, itemAt } from '@tidings/platform';
import type { ConditionContext } from '@tidings/segments/condition-context';
import { readConditionContext } from '@tidings/segments/segments';
import { checkContent, type SubmittedContent } from '@tidings/templates/check-content';
import { chooseVariants } from '@tidings/templates/choose-variants';
import { compileMessage, type CompiledMessage } from '@tidings/templates/compile-message';
import { renderPool } from '@tidings/templates/process-pool';
import type { ApiDependencies } from '../../dependencies.ts';
import { answered } from '../../http/user-questions.ts';
import { answerRendered } from '../answer-rendered.ts';

/** Stands for the campaign, which there is none of yet. */
const PREVIEW_CAMPAIGN_ID = '00000000-0000-0000-0000-000000000000';

export type PreviewDependencies = Pick<ApiDependencies, 'db' | 'questions'>;

/**
 * Checks a template, and renders it for a user if one is named.
 * @throws AppError `validation_failed`, or `not_found` for a user who is not registered
 */
export async function previewTemplate(
  { db, questions }: PreviewDependencies,
  applicationId: string,
  { customUserId, ...submitted }: SubmittedContent & { readonly customUserId?: string },
) {
  const context = await readConditionContext(db.sql, applicationId);
  const checked = checkContent(submitted, context);
  if (!checked.ok)
    throw new AppError('validation_failed', 'The template is not valid.', {
      errors: [...checked.errors],
    });
  const { content, warnings } = checked;
  const answer = { variables: listVariables(content), warnings };
  if (customUserId === undefined) return answer;

  const user = await readUser(db, applicationId, customUserId);
  if (user === null)
    throw new AppError('not_found', 'No user with this customUserId is registered.');
  const variant = await chooseVariant(questions, content.variants, { context, customUserId });
  const { customAttributes, ...fields } = user.profile;
  const rendered = await renderPool.render({
    applicationId,
    campaignId: PREVIEW_CAMPAIGN_ID,
    channel: content.channel,
    message: { key: null, message: variant?.message ?? content.message },
    users: [{ customUserId, registeredAt: user.registeredAt, fields, customAttributes }],
  });
  return {
    ...answer,
    variant: variant?.name ?? null,
    ...answerRendered(itemAt(rendered, 0)),
  };
}

/** @throws AppError `unavailable` */
async function chooseVariant(
  questions: PreviewDependencies['questions'],
  variants: TemplateContent['variants'],
  { context, customUserId }: { readonly context: ConditionContext; readonly customUserId: string },
): Promise<TemplateContent['variants'][number] | undefined> {
  if (variants.length === 0) return undefined;
  const chosen = answered(
    await questions.askUsers(context.applicationId, (sql, now) =>
      chooseVariants(sql, { context, variants, customUserIds: [customUserId], now }),
    ),
    'A condition took too long. Narrow it, or retry.',
  );
  return variants[chosen.get(customUserId) ?? -1];
}

/** The variables of all messages; required where one of them requires it. */
function listVariables(content: TemplateContent) {
  const required = new Map<string, boolean>();
  for (const { message } of [content, ...content.variants])
    for (const { name, isRequired } of compileChecked(content, message).variables)
      required.set(name, isRequired || required.get(name) === true);
  return [...required]
    .map(([name, isRequired]) => ({ name, isRequired }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function compileChecked(
  { channel }: TemplateContent,
  message: TemplateContent['message'],
): CompiledMessage {
  const compiled = compileMessage(channel, message, '/message');
  if (!compiled.ok) throw new Error('a message that was checked does not compile');
  return compiled.compiled;
}
