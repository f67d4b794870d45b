import type { Channel } from '@tidings/contracts/channels/channels';
import type { ComposerField } from '@tidings/contracts/channels/composer';
import { CHANNEL_DESCRIPTORS } from '@tidings/contracts/channels/descriptors';
import type { FieldSchema } from '@tidings/contracts/channels/message-schema';
import { listChoices } from '../../lib/choices.ts';

/** `textOrObject`: text, or a JSON object if it starts with `{`. `links` and `buttons`: one list item per line. */
type FieldKind =
  | 'line'
  | 'text'
  | 'number'
  | 'json'
  | 'textOrObject'
  | 'choice'
  | 'links'
  | 'buttons';

/** A message field in the composer. */
export type MessageField = ComposerField & {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isNeeded: boolean;
  readonly choices: readonly string[];
};

/** The message fields of a channel, from its descriptor. */
export function listMessageFields(channel: Channel): readonly MessageField[] {
  const { composer, message } = CHANNEL_DESCRIPTORS[channel];
  return Object.entries(composer).map(([name, field]) => {
    const schema = message.properties[name] ?? {};
    return {
      ...field,
      name,
      kind: fieldKind(name, schema),
      isNeeded: field.isNeeded ?? message.required.includes(name),
      choices: listChoices(schema, field.standard),
    };
  });
}

function fieldKind(name: string, schema: FieldSchema): FieldKind {
  const types = [schema['type']].flat();
  if (Array.isArray(schema['enum'])) return 'choice';
  if (types.includes('array')) return isListOfLinks(schema) ? 'links' : 'buttons';
  if (types.includes('object')) return types.includes('string') ? 'textOrObject' : 'json';
  if (types.includes('integer')) return 'number';
  return name === 'body' ? 'text' : 'line';
}

/** Items with only a URL; buttons have a label and a link. */
function isListOfLinks({ items }: FieldSchema): boolean {
  const { required } = items as { readonly required: readonly string[] };
  return required.length === 1;
}
