import { expect, test } from '@jest/globals';
import { isAddress, isInNetwork, isEntry, readEntries } from './addresses.ts';

test.each([
  ['10.1.2.3', '10.0.0.0/8', true],
  ['11.1.2.3', '10.0.0.0/8', false],
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.8', '203.0.113.7', false],
  ['1.2.3.4', '0.0.0.0/0', true],
  ['2001:db8::1', '2001:db8::/32', true],
  ['2001:db9::1', '2001:db8::/32', false],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1', true],
  ['::ffff:10.1.2.3', '10.0.0.0/8', true],
  ['10.1.2.3', '::/0', false],
])('%s against %s: %s', (address, entry, isIn) => {
  expect(isInNetwork(address, entry)).toBe(isIn);
});

test.each([
  '10.0.0.0/8',
  '203.0.113.7',
  '2001:db8::/32',
  '::1',
  '::',
  '1:2:3:4:5:6:7:8',
  '::ffff:1.2.3.4',
])('%s is a valid entry', (text) => {
  expect(isEntry(text)).toBe(true);
});

test.each([
  '',
  '10.0.0',
  '256.1.1.1',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '2001:db8::/129',
  '1::2::3',
  '1:2:3:4:5:6:7',
  'localhost',
  '10.0.0.0/x',
  '12345::',
])('%j is not a valid entry', (text) => {
  expect(isEntry(text)).toBe(false);
});

test('a network is not an address', () => {
  expect(isAddress('10.0.0.0/8')).toBe(false);
  expect(isAddress(' 10.0.0.1 ')).toBe(true);
});

test('entries are separated by lines or commas', () => {
  expect(readEntries(' 10.0.0.0/8,\n::1\n\n')).toEqual(['10.0.0.0/8', '::1']);
});
