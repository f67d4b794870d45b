import type { PushMessage } from '@tidings/contracts/push/push';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { AppError } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { findTemplates } from '@tidings/templates/find-templates';
import type { Push } from './read-push.ts';

/** A push with the templates that its recipients are split between; null: its message as it is. */
export type ResolvedPush = Push & {
  readonly templates: readonly CampaignTemplate[] | null;
  /** Of its request and its templates. */
  readonly bytes: number;
};

/**
 * Reads the templates that a push names. The campaign keeps these versions. Its own message is that
 * of the first one: it decides how long the campaign may take.
 * @throws AppError `validation_failed` for a template that does not exist, is of another channel or
 * of an automation, and for more than a campaign may keep
 */
export async function resolveTemplates(
  db: Database,
  applicationId: string,
  push: Push,
): Promise<ResolvedPush> {
  const { templateNames, isPersonalised, message } = push;
  if (isPersonalised)
    return { ...push, templates: [{ slug: null, version: null, share: 1, message, variants: [] }] };
  if (templateNames === null) return { ...push, templates: null };
  const found = await findTemplates(db.sql, {
    applicationId,
    names: templateNames,
    textOf: 'push',
  });
  if (!found.ok)
    throw new AppError('validation_failed', 'The request is not valid. Nothing was sent.', {
      errors: [...found.errors],
    });
  const { templates, bytes } = found;
  return {
    ...push,
    templates,
    message: templates[0]?.message ?? ({ body: '' } as PushMessage),
    bytes: push.bytes + bytes,
  };
}
