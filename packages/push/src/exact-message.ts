import { fieldAt, parseExactJson } from '@tidings/platform';

/**
 * The same fields of a message with every digit of their integers, as bigints where a double rounds them. `text` is
 * what the whole request was parsed from: only the fields concerned are parsed again, so that what stands beside them
 * (100,000 ids of digits, fields of any depth that nobody knows) costs next to nothing. The caller has bounded the
 * depth of the fields.
 */
export function exactMessage<T extends Readonly<Record<string, unknown>>>(
  message: T,
  text: string,
): T {
  const rounded = Object.keys(message).filter((field) => holdsRoundedInteger(message[field]));
  if (rounded.length === 0) return message;
  const { start } = fieldAt(text, 0, 'message') ?? { start: 0 };
  const exact = rounded.map((field): [string, unknown] => {
    const span = fieldAt(text, start, field);
    return [
      field,
      span === undefined ? message[field] : parseExactJson(text.slice(span.start, span.end)),
    ];
  });
  return { ...message, ...Object.fromEntries(exact) };
}

function holdsRoundedInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return false;
  return Array.isArray(value)
    ? value.some(holdsRoundedInteger)
    : Object.values(value).some(holdsRoundedInteger);
}
