import { isUuid } from '@tidings/platform';

/** Formats of strings and numbers in schemas. `int64` is checked where a number is parsed. */
export const FORMATS = { int64: true, uuid: isUuid } as const;

export const AJV_OPTIONS = {
  strict: true,
  // Schemas express "exactly one of" as `oneOf` with `required` of fields that are declared beside
  // it.
  strictRequired: false,
  allowUnionTypes: true,
  discriminator: true,
  formats: FORMATS,
} as const;
