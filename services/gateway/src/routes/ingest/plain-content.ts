import { LIMITS } from '@tidings/contracts';

type Tally = { keys: number; bytes: number };

/**
 * Whether a parsed body is plainly harmless, by one cheap walk: no escape that could hide U+0000 or half a surrogate,
 * no integer that a double cannot hold, nothing near the limits of depth, keys and bytes. Most bodies are. A "no" only
 * means that somebody has to look closer (`hostile-content.ts`).
 */
export function isPlainContent(body: unknown, text: string): boolean {
  if (text.includes('\\u') || typeof body !== 'object' || body === null) return false;
  for (const [field, value] of Object.entries(body)) {
    if (field !== 'messages' && typeof value === 'object' && value !== null) return false;
  }
  if (!('messages' in body) || !Array.isArray(body.messages)) return false;
  return body.messages.every((message: unknown) => {
    const tally: Tally = { keys: 0, bytes: 0 };
    return isPlain(message, LIMITS.messageDepthMax, tally) && tally.keys <= LIMITS.messageKeysMax && tally.bytes <= LIMITS.messageBytesMax;
  });
}

/** Counts keys, and bytes as if each character took the most it can. The recursion is bounded by `levels`. */
function isPlain(value: unknown, levels: number, tally: Tally): boolean {
  if (typeof value === 'string') {
    tally.bytes += value.length * 3 + 3;
    return true;
  }
  if (typeof value === 'number') {
    tally.bytes += 25;
    return Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value));
  }
  tally.bytes += 6;
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, levels - 1, tally));
  for (const key in value) {
    tally.keys += 1;
    tally.bytes += key.length * 3 + 3;
    if (!isPlain((value as Readonly<Record<string, unknown>>)[key], levels - 1, tally)) return false;
  }
  return true;
}
