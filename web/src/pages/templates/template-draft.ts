import type { Channel } from '@tidings/contracts/channels/channels';
import type { PushMessage } from '@tidings/contracts/push/push';
import type { TemplateContent } from '@tidings/contracts/push/templates';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { SLUG_PATTERN } from '@tidings/contracts/slug';
import type { Template } from '../../api/types.ts';
import { newId } from '../../lib/ids.ts';
import { toText } from '../../lib/text.ts';
import { buildMessage, toMessageTexts, type MessageTexts } from '../compose/message-values.ts';
import { isComplete, START } from '../../conditions/new-condition.ts';
import { EVERYONE } from '../../conditions/everyone.ts';

/** The values of the form. */
export type TemplateDraft = {
  readonly name: string;
  readonly channel: Channel;
  readonly fields: MessageTexts;
  readonly variants: readonly VariantDraft[];
};

export type VariantDraft = {
  /** Its identity in the list of this page. */
  readonly key: string;
  readonly name: string;
  readonly condition: Condition;
  readonly fields: MessageTexts;
};

/** A template as it is edited; without one, a new one. */
export function toDraft(template?: Template): TemplateDraft {
  if (template === undefined) return { name: '', channel: 'EMAIL', fields: {}, variants: [] };
  const { name, channel, message, variants } = template;
  return {
    name,
    channel,
    fields: toMessageTexts(channel, message),
    variants: variants.map((variant) => ({
      key: newId(),
      name: variant.name,
      condition: variant.condition,
      fields: toMessageTexts(channel, variant.message),
    })),
  };
}

/** A variant begins with the message that it replaces. */
export const newVariant = (fields: MessageTexts): VariantDraft => ({
  key: newId(),
  name: '',
  condition: START,
  fields,
});

export function buildContent({ channel, fields, variants }: TemplateDraft): TemplateContent {
  return {
    channel,
    message: buildMessage({ channel, fields }),
    variants: variants.map(({ name, condition, fields: own }) => ({
      name,
      condition,
      message: buildMessage({ channel, fields: own }),
    })),
  };
}

/** A text of every channel, in the place of one that is still missing. */
const SOME_TEXT = '–';

/**
 * A template whose faults and variables can be asked for while parts of it are not finished: what is missing has no
 * faults of its own. Null: nothing is written yet.
 */
export function toCheckable({
  channel,
  message,
  variants,
}: TemplateContent): TemplateContent | null {
  const messages = [message, ...variants.map((variant) => variant.message)];
  if (!messages.some((each) => hasBody(each) || Object.keys(each).length > 1)) return null;
  const withBody = (each: PushMessage): PushMessage =>
    hasBody(each) ? each : { ...each, body: SOME_TEXT };
  return {
    channel,
    message: withBody(message),
    variants: variants.map((variant, index) => ({
      name: variant.name.trim() || `Variant ${index + 1}`,
      condition: isComplete(variant.condition) ? variant.condition : EVERYONE,
      message: withBody(variant.message),
    })),
  };
}

/** What users would get: a variant counts once it is finished. Null while the message itself has no text. */
export function toRenderable(content: TemplateContent): TemplateContent | null {
  const variants = content.variants.filter(
    ({ name, condition, message }) =>
      name.trim() !== '' && isComplete(condition) && hasBody(message),
  );
  return hasBody(content.message) ? { ...content, variants } : null;
}

const hasBody = ({ body }: TemplateContent['message']): boolean =>
  typeof body === 'object' || toText(body).trim() !== '';

const SLUG = new RegExp(SLUG_PATTERN);
/** Names an address of the API. */
const RESERVED = 'preview';

/** What is wrong with the slug of a new template, before it is sent. */
export function slugFault(slug: string, taken: readonly string[]): string | undefined {
  if (slug === '') return undefined;
  if (!SLUG.test(slug))
    return 'Use up to 64 lower-case letters, digits and hyphens. Begin with a letter or digit.';
  if (slug === RESERVED) return 'This name is reserved.';
  return taken.includes(slug) ? 'Another template has this name.' : undefined;
}
