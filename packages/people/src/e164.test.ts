import { describe, expect, test } from '@jest/globals';
import { toE164 } from './e164.ts';

describe('the E.164 form of a phone number', () => {
  test.each<[string, string | undefined, string | null]>([
    ['+442071838750', undefined, '+442071838750'],
    ['+44 20 7183 8750', undefined, '+442071838750'],
    [' +33 (0)6-12.34.56.78 ', undefined, '+33612345678'],
    ['+33612345678', 'US', '+33612345678'],
    ['＋33612345678', undefined, '+33612345678'],
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
