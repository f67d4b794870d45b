import { expect, jest, test } from '@jest/globals';
import { isUuid, randomBase62, systemIds } from './ids.ts';

test('an id is a UUID that begins with the time of its making, so that ids sort by it', () => {
  const before = Date.now();
  const id = systemIds.uuid();
  const madeAt = Number.parseInt(id.replace('-', '').slice(0, 12), 16);

  expect(isUuid(id)).toBe(true);
  expect(madeAt).toBeGreaterThanOrEqual(before);
  expect(madeAt).toBeLessThanOrEqual(Date.now());
});

test('ids of the same millisecond sort by the order of their making', () => {
  const ids = Array.from({ length: 10_000 }, () => systemIds.uuid());

  expect([...ids].sort()).toEqual(ids);
});

test('ids stay in order when the clock is set back', () => {
  const before = systemIds.uuid();
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000);
  const after = Array.from({ length: 10 }, () => systemIds.uuid());
  clock.mockRestore();

  expect([before, ...after].sort()).toEqual([before, ...after]);
});

test.each([
  ['018f9c3e-7b1a-7c9e-8f00-0123456789ab', true],
  ['018F9C3E-7B1A-7C9E-8F00-0123456789AB', true],
  ['00000000-0000-0000-0000-000000000000', true],
  ['{018f9c3e-7b1a-7c9e-8f00-0123456789ab}', false],
  ['018f9c3e7b1a7c9e8f000123456789ab', false],
  ['018f9c3e-7b1a-7c9e-8f00-0123456789ab\n', false],
  ['', false],
])('%j is a UUID: %s', (text, expected) => {
  expect(isUuid(text)).toBe(expected);
});

test('random texts have their length and use every character', () => {
  const text = randomBase62(10_000);

  expect(text).toMatch(/^[0-9A-Za-z]{10000}$/);
  expect(new Set(text).size).toBe(62);
});
