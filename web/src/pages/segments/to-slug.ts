const SLUG_CHARS_MAX = 64;

/** A slug from a name: `Loyal customers` becomes `loyal-customers`. Empty if no letter of it fits. */
export function toSlug(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}+/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_CHARS_MAX)
    .replaceAll(/^-+|-+$/g, '');
}
