import { describe, expect, test } from '@jest/globals';
import { COUNTRIES } from './countries.ts';
import { CURRENCIES, EVENT_CURRENCIES, WITHDRAWN_CURRENCIES } from './currencies.ts';
import { isTimeZone } from './time-zones.ts';

test.each([
  ['in force', CURRENCIES],
  ['withdrawn', WITHDRAWN_CURRENCIES],
  ['of events', EVENT_CURRENCIES],
])('the list of those %s is sorted, without repetition, and of codes only', (_, list) => {
  expect(list.filter((code) => !/^[A-Z]{3}$/.test(code))).toEqual([]);
  expect(list).toEqual([...new Set(list)].toSorted());
});

test.each(['BGN', 'HRK', 'DEM', 'ZWL', 'ANG', 'CUC', 'SLL', 'VEF', 'MRO', 'STD', 'BYR', 'XEU'])(
  '%s is withdrawn: events of its time have it',
  (code) => {
    expect(WITHDRAWN_CURRENCIES).toContain(code);
  },
);

test.each(['XXX', 'XTS', 'ZZZ', 'BTC', 'usd'])('%s is no currency of an event', (code) => {
  expect(EVENT_CURRENCIES).not.toContain(code);
});

test.each([
  'USD',
  'EUR',
  'GBP',
  'JPY',
  'CHF',
  'CNY',
  'INR',
  'BRL',
  'TRY',
  'IRR',
  'AED',
  'XOF',
  'ZWG',
  'XCG',
  'SLE',
  'VED',
  'XAD',
  'XAU',
  'XBA',
])('%s is in force', (code) => {
  expect(CURRENCIES).toContain(code);
});

test.each([
  'XXX',
  'XTS',
  'ZZZ',
  'usd',
  'US',
  'USDX',
  'BTC',
  'DEM',
  'HRK',
  'BGN',
  'ZWL',
  'ANG',
  'CUC',
  'SLL',
  'USS',
  'VEF',
  'MRO',
  'STD',
  'BYR',
])('%s is not', (code) => {
  expect(CURRENCIES).not.toContain(code);
});

/** Funds, metals and units of account, which runtimes leave out, and codes that are newer than some of them. */
const NOT_MONEY = [
  'BOV',
  'CHE',
  'CHW',
  'CLF',
  'COU',
  'MXV',
  'USN',
  'UYI',
  'UYW',
  'XAG',
  'XAU',
  'XBA',
  'XBB',
  'XBC',
  'XBD',
  'XPD',
  'XPT',
  'XSU',
  'XUA',
];
const RECENT = ['SLE', 'VED', 'XAD', 'XCG', 'ZWG'];

test('all others are known to the runtime, so that no code is a slip of the pen', () => {
  const known = new Set([...Intl.supportedValuesOf('currency'), ...NOT_MONEY, ...RECENT]);

  expect(CURRENCIES.filter((code) => !known.has(code))).toEqual([]);
});

describe('countries', () => {
  test('the list is sorted, without repetition, of all 249 codes', () => {
    expect(COUNTRIES.filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([]);
    expect(COUNTRIES).toEqual([...new Set(COUNTRIES)].toSorted());
    expect(COUNTRIES).toHaveLength(249);
  });

  test('all are known to the runtime, so that no code is a slip of the pen', () => {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

    expect(COUNTRIES.filter((code) => names.of(code) === undefined)).toEqual([]);
  });

  test.each(['UK', 'EU', 'XK', 'ZZ', 'AN', 'SU', 'de'])('%s is none', (code) => {
    expect(COUNTRIES).not.toContain(code);
  });
});

describe('time-zones', () => {
  test.each([
    ['Europe/Berlin', true],
    ['America/Argentina/Buenos_Aires', true],
    ['Etc/GMT+5', true],
    ['UTC', true],
    ['Asia/Calcutta', true],
    ['+02:00', false],
    ['Europe/Atlantis', false],
    ['Berlin', false],
    ['', false],
    ['UTC\0', false],
    ['x'.repeat(10_000), false],
  ])('%j: %s', (text, expected) => {
    expect(isTimeZone(text)).toBe(expected);
  });
});
