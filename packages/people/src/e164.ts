import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** The longest real number with everything people write around it is well below; the profile keeps the rest as it is. */
const PHONE_CHARS_MAX = 64;

/**
 * The E.164 form of a phone number as somebody wrote it; null when it is none. A number without a country code is of
 * the default country. It has to be possible (a number of this length exists there), not known to be in use: numbering
 * plans change more often than the table of them, and the provider knows best.
 */
export function toE164(phoneNumber: unknown, defaultCountry: string | undefined): string | null {
  if (typeof phoneNumber !== 'string' || phoneNumber.length > PHONE_CHARS_MAX) return null;
  const country =
    defaultCountry !== undefined && isSupportedCountry(defaultCountry) ? { defaultCountry } : {};
  // Full-width signs are signs too. Without `extract: false` any text with a number in it would be one.
  const parsed = parsePhoneNumberFromString(phoneNumber.normalize('NFKC').trim(), {
    ...country,
    extract: false,
  });
  return parsed?.isPossible() === true ? parsed.number : null;
}
