import { describe, expect, test } from '@jest/globals';
import { calledNumber, phonePrefixes, toE164 } from './e164.ts';

describe('the E.164 form of a phone number', () => {
  test.each<[string, string | undefined, string | null]>([
    ['+442071838750', undefined, '+442071838750'],
    ['+44 20 7183 8750', undefined, '+442071838750'],
    [' +33 (0)6-12.34.56.78 ', undefined, '+33612345678'],
    ['+33612345678', 'US', '+33612345678'],
    ['＋33612345678', undefined, '+33612345678'],
    ['\u202a+33 6 12345678\u202c', undefined, '+33612345678'],
    ['\u200e+33612345678', undefined, '+33612345678'],
    ['+33 6 12 34 56 78\u200f', undefined, '+33612345678'],
    ['+33\u20606\u00ad1234\u200b5678\ufeff', undefined, '+33612345678'],
    ['\u2066+33612345678\u2069', undefined, '+33612345678'],
    ['\u202d06 12 34 56 78\u202c', 'FR', '+33612345678'],
    ['06 12 34 56 78', 'FR', '+33612345678'],
    ['٠٦١٢٣٤٥٦٧٨', 'FR', '+33612345678'],
    ['0912 345 6789', 'IR', '+989123456789'],
    ['(202) 555-0100', 'US', '+12025550100'],
    ['00442071838750', 'GB', '+442071838750'],
    // Italian numbers keep their leading zero.
    ['02 1234567', 'IT', '+39021234567'],
    // In an unassigned range: the length is valid, and ranges are assigned over time.
    ['+1 555 555 5555', undefined, '+15555555555'],
  ])('of %j with the default country %s is %j', (phoneNumber, country, expected) => {
    expect(toE164(phoneNumber, country)).toBe(expected);
  });

  test.each<[unknown, string | undefined]>([
    ['0612345678', undefined],
    ['442071838750', undefined],
    ['0612345678', 'ZZ'],
    ['0612345678', 'fr'],
    ['0612345678', '__proto__'],
    ['', 'FR'],
    ['+', 'FR'],
    ['12345', 'US'],
    ['+999123456', undefined],
    ['call +442071838750 now', 'GB'],
    ['+442071838750,+33612345678', undefined],
    ['1-800-FLOWERS', 'US'],
    [`+44${'2'.repeat(1_000_000)}`, undefined],
    [`+442071838750${' '.repeat(60)}`, undefined],
    [442071838750, 'GB'],
    [null, 'GB'],
    [undefined, 'GB'],
  ])('of %j with the default country %s is null', (phoneNumber, country) => {
    expect(toE164(phoneNumber, country)).toBeNull();
  });
});

describe('the number that is called', () => {
  const called = (phoneNumber: unknown, country: string | undefined) =>
    calledNumber({ phoneNumber, phoneE164: toE164(phoneNumber, country) }, country);

  test.each([
    ['49 151 23456789', 'DE', '+494915123456789', '+4915123456789'],
    ['(49) 151/23456789', 'DE', '+494915123456789', '+4915123456789'],
    ['\u200e49 151 23456789', 'DE', '+494915123456789', '+4915123456789'],
    ['٤٩ ١٥١ ٢٣٤٥٦٧٨٩', 'DE', '+494915123456789', '+4915123456789'],
    ['4941 123456', 'DE', '+494941123456', '+4941123456'],
  ])('for %j of %s is %s; it may mean %s', (phoneNumber, country, number, otherReading) => {
    expect(called(phoneNumber, country)).toEqual({ number, otherReading });
  });

  test.each([
    ['0151 23456789', 'DE', '+4915123456789'],
    ['+49 151 23456789', 'DE', '+4915123456789'],
    ['\u200e+49 151 23456789', 'DE', '+4915123456789'],
    ['0049 151 23456789', 'DE', '+4915123456789'],
    // The code is read as the country's: the rest alone is a number.
    ['98 912 345 6789', 'IR', '+989123456789'],
    ['44 20 7183 8750', 'GB', '+442071838750'],
    ['1 202 555 0100', 'US', '+12025550100'],
    ['4930', 'DE', '+494930'],
  ])('for %j of %s is %s alone', (phoneNumber, country, number) => {
    expect(called(phoneNumber, country)).toEqual({ number });
  });

  test('of a profile without one is null', () => {
    expect(called('call me', 'DE')).toBeNull();
    expect(called('49 151 23456789', undefined)).toBeNull();
    expect(called(undefined, 'DE')).toBeNull();
  });
});

describe('the beginning of a phone number', () => {
  test.each<[string, string | undefined, readonly string[]]>([
    ['+4915', undefined, ['+4915']],
    ['+49 (151) 23', 'FR', ['+4915123']],
    ['0049 151-23', undefined, ['+4915123']],
    ['0151/23', 'DE', ['+49015123', '+4915123']],
    ['15123', 'DE', ['+4915123']],
    ['۰۹۱۲ ۳', 'IR', ['+9809123', '+989123']],
    ['\u200e＋4915', undefined, ['+4915']],
    ['0151 23', undefined, []],
    ['015', 'DE', []],
    ['+491', undefined, []],
    ['+1234567890123456', undefined, []],
    ['user 1234', 'DE', []],
    ['12%34', 'DE', []],
    ['', 'DE', []],
    ['1'.repeat(200), 'DE', []],
  ])('%j in %s is %j', (text, country, expected) => {
    expect(phonePrefixes(text, country)).toEqual(expected);
  });
});
