/** JSON Schema patterns of text that Postgres can store: no U+0000, no lone surrogate. */
export const STORABLE = '^[^\\u0000\\ud800-\\udfff]*$';
/** The same on one line, for header values. */
export const STORABLE_LINE = '^[^\\p{Cc}\\ud800-\\udfff]*$';
/** The same, and not blank. */
export const STORABLE_NOT_BLANK =
  '^[^\\u0000\\ud800-\\udfff]*[^\\s\\u0000\\ud800-\\udfff][^\\u0000\\ud800-\\udfff]*$';
