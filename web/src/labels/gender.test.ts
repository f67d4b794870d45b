import { expect, test } from '@jest/globals';
import { genderName } from './gender.ts';

test.each([
  ['m', 'Male'],
  ['MALE', 'Male'],
  [' Male ', 'Male'],
  ['F', 'Female'],
  ['female', 'Female'],
  ['', 'Other'],
  ['w', 'Other'],
  ['männlich', 'Other'],
  ['nonbinary', 'Other'],
  ['constructor', 'Other'],
  ['mm', 'Other'],
])('%j is shown as %s', (text, name) => {
  expect(genderName(text)).toBe(name);
});
