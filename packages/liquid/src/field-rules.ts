import { VISIBLE, type FieldSchema } from '@tidings/contracts/channels/message-schema';
import { RenderFault } from './engine/render-fault.ts';

/** What a rendered field must fulfil, as its message's schema says. */
export type FieldRules = (text: string) => void;

/**
 * The rules of a text field.
 * @throws RenderFault (the returned function)
 */
export function rulesOf(name: string, schema: FieldSchema): FieldRules {
  const {
    minLength = 0,
    maxLength = Infinity,
    pattern,
  } = schema as {
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly pattern?: string;
  };
  const allowed = pattern === undefined ? null : new RegExp(pattern, 'u');
  return (text) => {
    if (text.length < minLength) throw new RenderFault('empty', `${name} is empty`);
    // A character may be two units.
    if (text.length > maxLength && Array.from(text).length > maxLength)
      throw new RenderFault('too_long', `${name} has more than ${maxLength} characters`);
    if (allowed === null || allowed.test(text)) return;
    if (pattern !== VISIBLE)
      throw new RenderFault('forbidden_link', `${name} is no link that may be opened`);
    // A blank title counts as none.
    if (minLength > 0) throw new RenderFault('empty', `${name} has no visible character`);
  };
}
