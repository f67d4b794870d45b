const SLUG_CHARS_MAX = 64;
const NUMBERED_CHARS_MAX = 60;

/**
 * A slug from a name: `Loyal customers` becomes `loyal-customers`. A name without a Latin letter or
 * digit gets `otherwise`, and one without any letter none.
 */
export function toSlug(name: string, otherwise: string): string {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replaceAll(/^-+|-+$/g, '');
  return slug === '' && name.trim() !== '' ? otherwise : slug;
}

/** The slug, or the first of `slug-2`, `slug-3`, … that is free. */
export function freeSlug(slug: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const numbered =
      number === 1 ? slug : `${slug.slice(0, NUMBERED_CHARS_MAX).replace(/-+$/, '')}-${number}`;
    if (!taken.has(numbered)) return numbered;
  }
}

const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const LETTERS_OF_SLUG = 4;

/** What names without Latin letters get: `segment-7f3a`, another one each time. */
export function randomSlug(noun: string): string {
  const random = crypto.getRandomValues(new Uint8Array(LETTERS_OF_SLUG));
  return `${noun}-${Array.from(random, (byte) => LETTERS[byte % LETTERS.length]).join('')}`;
}
