import { expect, test } from '@jest/globals';
import { formatJson, parseExactJson, stringifyExactJson } from './exact-json.ts';

test('integers keep every digit, from the answer to the screen, and back', () => {
  const parsed = parseExactJson(
    '{"time":9223372036854775807,"safe":1795256516534,"price":9.9,"text":"9223372036854775807"}',
  ) as Record<string, unknown>;

  expect(parsed['time']).toBe(9_223_372_036_854_775_807n);
  expect(parsed['safe']).toBe(1_795_256_516_534);
  expect(parsed['text']).toBe('9223372036854775807');
  expect(formatJson(parsed)).toContain('"time": 9223372036854775807');
  expect(stringifyExactJson(parsed)).toBe(
    '{"time":9223372036854775807,"safe":1795256516534,"price":9.9,"text":"9223372036854775807"}',
  );
});

test('a double of many digits stays a double', () => {
  expect(parseExactJson('{"d":1.2345678901234567,"e":1e300}')).toEqual({
    d: 1.2345678901234567,
    e: 1e300,
  });
});

test('is written as JSON is, and read again the same', () => {
  const value = { empty: {}, list: [], deep: [{ a: [null, true, 'x"y'] }], __proto__: null };

  expect(JSON.parse(formatJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
});
