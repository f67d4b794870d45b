import {
  getCountryCallingCode,
  isSupportedCountry,
  parseIncompletePhoneNumber,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/min';

/** Longer than any formatted phone number. The profile stores longer values unchanged. */
const PHONE_CHARS_MAX = 64;

/**
 * Direction marks and other invisible characters, which come with a number that is copied from a
 * page or an address book.
 */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The E.164 form of a phone number; null if it is not one. A number without a country code gets the
 * default country.
 *
 * The length must be possible in its country. Whether the range is assigned is not checked:
 * numbering plans change more often than the bundled table, and the provider knows best.
 */
export function toE164(phoneNumber: unknown, defaultCountry: string | undefined): string | null {
  if (typeof phoneNumber !== 'string' || phoneNumber.length > PHONE_CHARS_MAX) return null;
  const country = supported(defaultCountry);
  return read(visible(phoneNumber), country === undefined ? {} : { defaultCountry: country });
}

/** Fewer digits would be the beginning of most numbers. */
const PREFIX_DIGITS_MIN = 4;
/** Digits of any script, and what people write between them. */
const BEGINNING = /^\+?[\p{Nd}\s().\-/]+$/u;
/** A number has no more. */
const NUMBER_DIGITS_MAX = 15;

/**
 * What the E.164 form of a number begins with, of which the beginning was typed in any usual
 * writing: one text, or in the default country two, since some countries keep the first zero.
 */
export function phonePrefixes(text: string, defaultCountry: string | undefined): string[] {
  if (text.length > PHONE_CHARS_MAX) return [];
  const typed = visible(text);
  if (!BEGINNING.test(typed)) return [];
  const [, international, digits = ''] =
    /^(\+|00)?(\d+)$/.exec(parseIncompletePhoneNumber(typed)) ?? [];
  if (digits.length < PREFIX_DIGITS_MIN || digits.length > NUMBER_DIGITS_MAX) return [];
  if (international !== undefined) return [`+${digits}`];
  const country = supported(defaultCountry);
  if (country === undefined) return [];
  const code = getCountryCallingCode(country);
  return [...new Set([digits, digits.replace(/^0/, '')])].map((national) => `+${code}${national}`);
}

/** The number that messages to a user go to. */
export type CalledNumber = {
  readonly number: string;
  /**
   * What the profile’s number may mean instead. It has no `+` and begins with the calling code of
   * the default country, which was read as an area’s.
   */
  readonly otherReading?: string;
};

/** The number that is called for a profile; null if it has none. */
export function calledNumber(
  { phoneNumber, phoneE164 }: { readonly phoneNumber: unknown; readonly phoneE164: string | null },
  defaultCountry: string | undefined,
): CalledNumber | null {
  if (phoneE164 === null) return null;
  const otherReading = readOtherwise(phoneNumber, supported(defaultCountry), phoneE164);
  return { number: phoneE164, ...(otherReading !== null && { otherReading }) };
}

function readOtherwise(
  phoneNumber: unknown,
  country: CountryCode | undefined,
  number: string,
): string | null {
  if (country === undefined || typeof phoneNumber !== 'string') return null;
  if (phoneNumber.length > PHONE_CHARS_MAX) return null;
  const text = visible(phoneNumber);
  if (text.startsWith('+')) return null;
  const withCode = read(`+${text.replace(/^\P{Nd}+/u, '')}`);
  const isOfCountry = withCode?.startsWith(`+${getCountryCallingCode(country)}`) === true;
  return isOfCountry && withCode !== number ? withCode : null;
}

/** Whether this is an ISO code of a country that has numbers. */
export const isCountry = (code: string): boolean => isSupportedCountry(code);

/** ISO code of the country that a number in E.164 belongs to; null if the number does not say. */
export function countryOf(number: string): string | null {
  return parsePhoneNumberFromString(number)?.country ?? null;
}

const supported = (country: string | undefined): CountryCode | undefined =>
  country !== undefined && isSupportedCountry(country) ? country : undefined;

/** NFKC also maps full-width digits. */
const visible = (phoneNumber: string): string =>
  phoneNumber.normalize('NFKC').replaceAll(INVISIBLE, '').trim();

function read(
  text: string,
  options: { readonly defaultCountry?: CountryCode } = {},
): string | null {
  // Without `extract: false`, any text that contains a number would pass.
  const parsed = parsePhoneNumberFromString(text, { ...options, extract: false });
  return parsed?.isPossible() === true ? parsed.number : null;
}
