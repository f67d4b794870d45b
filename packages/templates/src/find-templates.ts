import type { Channel } from '@tidings/contracts/channels/channels';
import type { FieldCode, FieldError } from '@tidings/contracts/errors/error-codes';
import { LIMITS } from '@tidings/contracts/limits';
import type { CampaignTemplate, TemplateVariant } from '@tidings/contracts/push/templates';
import type { TextOf } from '@tidings/liquid/parse-options';
import { stringifyExactJson } from '@tidings/platform';
import type { Sql } from '@tidings/postgres/database';
import {
  hasTooManyLeaves,
  inlineSegments,
  namedFunnels,
  listSegments,
  type NamedByConditions,
  TOO_MANY_LEAVES,
} from '@tidings/segments/segment-nesting';
import { readConditionContext } from '@tidings/segments/segments';
import { automationNames, EXPECTED_NAMES, mayName } from './automation-names.ts';
import { readTemplateVersions, type TemplateName } from './templates.ts';

/** A template that a request names. */
export type NamedTemplate = TemplateName & {
  readonly channel: Channel;
  readonly share: number;
  /** Place of the name in the request. */
  readonly pointer: string;
};

export type FoundTemplates =
  | {
      readonly ok: true;
      readonly templates: readonly CampaignTemplate[];
      /** Of all as JSON. */
      readonly bytes: number;
    }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** `welcome`, or one of its versions: `welcome@3`. */
export function parseTemplateName(name: string): TemplateName {
  const [slug = '', version] = name.split('@');
  return { slug, version: version === undefined ? null : Number(version) };
}

const BYTES_MAX = LIMITS.campaignTemplatesBytesMax;

/**
 * The templates that a request names, as a campaign keeps them: with the conditions of segments in
 * their places. A fault for each that does not exist, is of another channel, names what such texts
 * have not, or is too large together with those before. Not in a transaction: large ones wait for a
 * thread.
 */
export async function findTemplates(
  sql: Sql,
  {
    applicationId,
    names,
    textOf,
  }: {
    readonly applicationId: string;
    readonly names: readonly NamedTemplate[];
    readonly textOf: TextOf;
  },
): Promise<FoundTemplates> {
  const found = await readTemplateVersions(sql, applicationId, names);
  const context: NamedByConditions = found.some(
    (template) => template !== null && template.variants.length > 0,
  )
    ? await readConditionContext(sql, applicationId)
    : { segments: new Map(), funnels: new Map() };
  const errors: FieldError[] = [];
  const templates: CampaignTemplate[] = [];
  let bytes = 0;
  for (const [index, { slug, version: named, channel, share, pointer }] of names.entries()) {
    const fault = (expected: string, code: FieldCode = 'invalid_value'): number =>
      errors.push({ pointer, code, expected });
    const template = found[index] ?? null;
    const variants = withoutSegments(template?.variants ?? [], context);
    if (template === null)
      fault(named === null ? 'the slug of a template' : 'a version that the template has');
    else if (template.channel !== channel) fault('a template of this channel');
    else if (!mayName(textOf, await automationNames(applicationId, template)))
      fault(`a template that names ${EXPECTED_NAMES[textOf]}`);
    else if (variants === null) fault('a version whose segments and funnels exist');
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
  return errors.length > 0 ? { ok: false, errors } : { ok: true, templates, bytes };
}

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

/**
 * Variants with the conditions of the segments that they name in their places, and their funnels: the
 * campaign is sent even if one is changed or deleted meanwhile. Null if one does not exist.
 */
function withoutSegments(
  variants: readonly TemplateVariant[],
  context: NamedByConditions,
): TemplateVariant[] | null {
  const inlined = variants.map((variant) => ({
    ...variant,
    condition: inlineSegments(variant.condition, context),
  }));
  return inlined.some(
    ({ condition }) => listSegments(condition).length + namedFunnels(condition).length > 0,
  )
    ? null
    : inlined;
}
