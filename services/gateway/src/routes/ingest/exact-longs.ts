import { LIMITS } from '@tidings/contracts/limits';
import { fieldAt, itemAt } from '@tidings/platform';
import type { BatchOutline } from './batch-outline.ts';

/** Message fields of type Long. */
const LONG_FIELDS = ['time', 'birthday'] as const;
const INTEGER = /^-?\d+$/;

/** Longs of a message that a double rounds. */
export type Longs = { readonly [field in (typeof LONG_FIELDS)[number]]?: bigint };

/**
 * The exact values of the Longs that `JSON.parse` rounded, read from the text. Only these matter to
 * the gateway, and a parse that keeps every digit costs many times as much.
 */
export function exactLongs(
  body: unknown,
  text: string,
  outline: () => BatchOutline,
): ReadonlyMap<number, Longs> {
  const found = new Map<number, Longs>();
  const messages: unknown =
    typeof body === 'object' && body !== null && 'messages' in body ? body.messages : undefined;
  if (!Array.isArray(messages) || messages.length > LIMITS.messagesMax) return found;
  for (const [index, message] of (messages as readonly unknown[]).entries()) {
    const rounded = LONG_FIELDS.filter((field) => isRounded(message, field));
    if (rounded.length === 0) continue;
    const { start } = itemAt(outline().messages, index);
    const literals = rounded.map((field) => {
      const span = fieldAt(text, start, field);
      return [field, span === undefined ? '' : text.slice(span.start, span.end)] as const;
    });
    found.set(
      index,
      Object.fromEntries(
        literals
          .filter(([, literal]) => INTEGER.test(literal))
          .map(([field, literal]) => [field, BigInt(literal)]),
      ),
    );
  }
  return found;
}

function isRounded(message: unknown, field: string): boolean {
  const value =
    typeof message === 'object' && message !== null
      ? (message as Readonly<Record<string, unknown>>)[field]
      : undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value);
}
