import { describe, expect, test } from '@jest/globals';
import { fieldAt, longNumbersIn } from './json-text.ts';

describe('a scan of JSON text', () => {
  test('finds no field that is absent, and the last of two', () => {
    const text = '{"a":1, "b":{"c":2}, "a" : [3] }';

    expect(fieldAt(text, 0, 'c')).toBeUndefined();
    expect(fieldAt(text, 0, 'a')).toEqual({ start: text.indexOf('[3]'), end: text.indexOf(' }') });
  });

  test('finds numbers of more than 15 characters outside strings', () => {
    const text = '{"1234567890123456":[12345678901234567,1,"9007199254740993",-900719925474099.5]}';

    expect([...longNumbersIn(text, { start: 0, end: text.length })]).toEqual([
      '12345678901234567',
      '-900719925474099.5',
    ]);
  });
});
