/** JSON Schema patterns of text that Postgres can store: no U+0000, no lone surrogate. */
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';
/** The same on one line, for header values. */
export const STORABLE_LINE = '^[^\\p{Cc}\\ud800-\\udfff]*$';
/** The same on one line, and not blank. */
export const STORABLE_LINE_NOT_BLANK =
  '^[^\\p{Cc}\\ud800-\\udfff]*[^\\s\\p{Cc}\\ud800-\\udfff][^\\p{Cc}\\ud800-\\udfff]*$';
/** Storable text that is not blank. */
export const STORABLE_NOT_BLANK =
  '^[^\\u0000\\ud800-\\udfff]*[^\\s\\u0000\\ud800-\\udfff][^\\u0000\\ud800-\\udfff]*$';
