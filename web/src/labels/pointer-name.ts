import { humanize } from '../lib/format.ts';

const NAMES: ReadonlyMap<string, string> = new Map([
  ['customUserId', 'User ID'],
  ['sendAt', 'Time'],
  ['sendAtLocal', 'Time'],
  ['body', 'Text'],
]);

/** The part of a form or message that a JSON pointer means, in words: `Buttons, link` for `/message/buttons/0/link`. */
export function pointerName(pointer: string): string {
  const parts = pointer
    .split('/')
    .filter((part) => part !== '' && !/^\d+$/.test(part))
    .slice(-2)
    .filter((part, index, all) => index === all.length - 1 || !OUTER.has(part));
  if (parts.length === 0) return 'All of it';
  return parts
    .map((part, index) => {
      const name = NAMES.get(part) ?? humanize(part);
      return index === 0 ? name : name.toLowerCase();
    })
    .join(', ');
}

/** Every field is in one of these. */
const OUTER: ReadonlySet<string> = new Set(['message', 'settings', 'condition']);
