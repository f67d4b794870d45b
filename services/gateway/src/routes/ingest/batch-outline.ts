import { fieldsIn, itemsIn, type Span } from '@tidings/platform';

/**
 * Positions of the parts of a batch in its text. Of a duplicate field the last counts, as in
 * `JSON.parse`.
 */
export type BatchOutline = {
  /** The fields of the envelope except `messages`, each from its name to the end of its value. */
  readonly fields: readonly Span[];
  readonly messages: readonly Span[];
};

/** Outlines a batch. `text` is valid JSON: an object whose `messages` is an array. */
export function outlineBatch(text: string): BatchOutline {
  const fields: Span[] = [];
  let list = { start: 0, end: 0 };
  for (const { name, span, value } of fieldsIn(text, 0)) {
    if (name === 'messages') list = value;
    else fields.push(span);
  }
  return { fields, messages: [...itemsIn(text, list.start)] };
}
