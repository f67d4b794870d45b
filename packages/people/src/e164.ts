import { isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/** Longer than any formatted phone number. The profile stores longer values unchanged. */
const PHONE_CHARS_MAX = 64;

/**
 * The E.164 form of a phone number; null if it is not one. A number without a country code gets the
 * default country.
 *
 * The length must be possible in its country. Whether the range is assigned is not checked:
 * numbering plans change more often than the bundled table, and the provider knows best.
 */
export function toE164(phoneNumber: unknown, defaultCountry: string | undefined): string | null {
  if (typeof phoneNumber !== 'string' || phoneNumber.length > PHONE_CHARS_MAX) return null;
  const country =
    defaultCountry !== undefined && isSupportedCountry(defaultCountry) ? { defaultCountry } : {};
  // NFKC also maps full-width digits. Without `extract: false`, any text that contains a number
  // would pass.
  const parsed = parsePhoneNumberFromString(phoneNumber.normalize('NFKC').trim(), {
    ...country,
    extract: false,
  });
  return parsed?.isPossible() === true ? parsed.number : null;
}
