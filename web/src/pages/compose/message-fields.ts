import {
  CHANNEL_DESCRIPTORS,
  type Channel,
  type ComposerField,
  type FieldSchema,
} from '@tidings/contracts';
import { listChoices } from '../../lib/choices.ts';

/**
 * `textOrObject`: text, save that what begins as a JSON object is one. `links` and `buttons`: an object of the list a line.
 */
type FieldKind =
  | 'line'
  | 'text'
  | 'number'
  | 'json'
  | 'textOrObject'
  | 'choice'
  | 'links'
  | 'buttons';

/** A field of the message in the composer. */
export type MessageField = ComposerField & {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isNeeded: boolean;
  readonly choices: readonly string[];
};

/** What a message of the channel has, from its descriptor. */
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

/** Objects of an address alone, not of a label and a link. */
function isListOfLinks({ items }: FieldSchema): boolean {
  const { required } = items as { readonly required: readonly string[] };
  return required.length === 1;
}
