import { expect, test } from '@jest/globals';
import { isSuspiciousId } from './suspicious-ids.ts';

test.each([
  'null',
  'undefined',
  'NaN',
  'None',
  '[object Object]',
  '0',
  '-1',
  ' ',
  ' NULL\n',
  '00000000-0000-0000-0000-000000000000',
  '00000000000000000000000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '(null)',
  '<nil>',
  'anonymous',
])('%j stands for a missing id', (id) => {
  expect(isSuspiciousId(id)).toBe(true);
});

test.each([
  'ada',
  '1',
  '00',
  '-2',
  '10',
  'null-42',
  'nullam',
  'object',
  '00000000-0000-0000-0000-000000000001',
  'x'.repeat(256),
  ' '.repeat(256),
])('%j is an id', (id) => {
  expect(isSuspiciousId(id)).toBe(false);
});
