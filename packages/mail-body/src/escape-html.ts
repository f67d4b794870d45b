const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};
const SPECIAL = /[&<>"'`]/;
const ALL_SPECIAL = /[&<>"'`]/g;

/** Text for HTML: between tags, and in attribute values in quotes. */
export function escapeHtml(text: string): string {
  return SPECIAL.test(text)
    ? text.replaceAll(ALL_SPECIAL, (character) => ESCAPES[character] ?? '')
    : text;
}

const LAST_OF_COMMENT = /[-!]$/;

/**
 * Escaped text for HTML within a comment. Hyphens before `>` end it, so the last character is none of
 * them.
 */
export const escapeInComment = (escaped: string): string =>
  escaped.replace(LAST_OF_COMMENT, (character) => `&#${character.charCodeAt(0)};`);
