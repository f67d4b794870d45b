/** The form of a slug within a larger pattern. */
export const SLUG_FORM = '[a-z0-9][a-z0-9-]{0,63}';
/** The slug of a segment or template. */
export const SLUG_PATTERN = `^${SLUG_FORM}$`;
export const SLUG_DESCRIPTION =
  'up to 64 lower-case letters, digits and hyphens, beginning with a letter or digit';
