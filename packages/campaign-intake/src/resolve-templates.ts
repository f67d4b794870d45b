import type { FieldCode, FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { CampaignTemplate, TemplateVariant } from '@tidings/contracts/push/templates';
import { AppError, stringifyExactJson } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import type { ConditionContext } from '@tidings/segments/condition-context';
import {
  hasTooManyLeaves,
  inlineSegments,
  listSegments,
  TOO_MANY_LEAVES,
} from '@tidings/segments/segment-nesting';
import { readConditionContext } from '@tidings/segments/segments';
import { readTemplateVersions } from '@tidings/templates/templates';
import type { PushTemplateName } from './push-templates.ts';
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
 * @throws AppError `validation_failed` for a template that does not exist, or is of another channel,
 * and for more than a campaign may keep
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
  const { templates, bytes } = await findTemplates(db, { ...push, applicationId, templateNames });
  return {
    ...push,
    templates,
    message: templates[0]?.message ?? ({ body: '' } as PushMessage),
    bytes: push.bytes + bytes,
  };
}

const BYTES_MAX = LIMITS.campaignTemplatesBytesMax;

/**
 * Adds the size of a template as JSON, part by part and up to the bound: segments in the conditions
 * of its variants may make it much larger.
 */
function addBytes(before: number, { variants, ...template }: CampaignTemplate): number {
  let bytes = before;
  for (const part of [template, ...variants]) {
    if (bytes > BYTES_MAX) break;
    bytes += Buffer.byteLength(stringifyExactJson(part));
  }
  return bytes;
}

async function findTemplates(
  db: Database,
  {
    applicationId,
    channel,
    templateNames,
  }: Pick<Push, 'channel'> & {
    readonly applicationId: string;
    readonly templateNames: readonly PushTemplateName[];
  },
): Promise<{ readonly templates: readonly CampaignTemplate[]; readonly bytes: number }> {
  const found = await readTemplateVersions(db.sql, applicationId, templateNames);
  const segments: ConditionContext['segments'] = found.some(
    (template) => template !== null && template.variants.length > 0,
  )
    ? (await readConditionContext(db.sql, applicationId)).segments
    : new Map();
  const errors: FieldError[] = [];
  const templates: CampaignTemplate[] = [];
  let bytes = 0;
  for (const [index, { slug, version: named, share, pointer }] of templateNames.entries()) {
    const fault = (expected: string, code: FieldCode = 'invalid_value'): number =>
      errors.push({ pointer, code, expected });
    const template = found[index] ?? null;
    const variants = withoutSegments(template?.variants ?? [], segments);
    if (template === null)
      fault(named === null ? 'the slug of a template' : 'a version that the template has');
    else if (template.channel !== channel) fault('a template of this channel');
    else if (variants === null) fault('a version whose segments exist');
    // Its segments may have grown since it was saved.
    else if (variants.some(({ condition }) => hasTooManyLeaves(condition)))
      fault(`a version without ${TOO_MANY_LEAVES}`, 'too_many');
    else {
      const { version, message } = template;
      const kept = { slug, version, share, message, variants };
      const before = bytes;
      bytes = addBytes(before, kept);
      // Only the template that exceeds the bound is named.
      if (before <= BYTES_MAX && bytes > BYTES_MAX)
        fault(`templates of at most ${BYTES_MAX} bytes together`, 'too_long');
      templates.push(kept);
    }
  }
  if (errors.length > 0)
    throw new AppError('validation_failed', 'The request is not valid. Nothing was sent.', {
      errors,
    });
  return { templates, bytes };
}

/**
 * Variants with the conditions of the segments that they name in their places: the campaign is sent
 * even if a segment is changed or deleted meanwhile. Null if one does not exist.
 */
function withoutSegments(
  variants: readonly TemplateVariant[],
  segments: ConditionContext['segments'],
): TemplateVariant[] | null {
  const inlined = variants.map((variant) => ({
    ...variant,
    condition: inlineSegments(variant.condition, segments),
  }));
  return inlined.some(({ condition }) => listSegments(condition).length > 0) ? null : inlined;
}
