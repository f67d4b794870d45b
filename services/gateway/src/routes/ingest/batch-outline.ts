import { fieldsIn, itemsIn, type Span } from '@tidings/platform';

/** Where the parts of a batch stand in its text. Of a field that comes twice the last counts, as for `JSON.parse`. */
export type BatchOutline = {
  /** The envelope's fields but `messages`, each from its name to the end of its value. */
  readonly fields: readonly Span[];
  readonly messages: readonly Span[];
};

/** The outline of a batch that has been parsed: `text` is valid JSON, an object whose `messages` are an array. */
export function outlineBatch(text: string): BatchOutline {
  const fields: Span[] = [];
  let list = { start: 0, end: 0 };
  for (const { name, span, value } of fieldsIn(text, 0)) {
    if (name === 'messages') list = value;
    else fields.push(span);
  }
  return { fields, messages: [...itemsIn(text, list.start)] };
}
