import { expect, test } from '@jest/globals';
import { COUNTRIES } from './countries.ts';

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
