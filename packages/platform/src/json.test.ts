import { describe, expect, test } from '@jest/globals';
import { fieldAt, longNumbersIn } from './json-text.ts';
import { needsExactParse, parseExactJson, stringifyExactJson, toWellFormed } from './json.ts';

describe('exact JSON', () => {
  test.each([
    ['9007199254740993', 9007199254740993n],
    ['-9007199254740993', -9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['9223372036854775808', 9223372036854775808n],
    ['123456789012345678901234567890', 123456789012345678901234567890n],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992n],
    ['[9007199254740993,1]', [9007199254740993n, 1]],
    ['{"a":{"b":9007199254740993}}', { a: { b: 9007199254740993n } }],
    ['{"id":"9007199254740993"}', { id: '9007199254740993' }],
  ])('%s keeps every digit, there and back', (json, value) => {
    const parsed = parseExactJson(json);

    expect(parsed).toEqual(value);
    expect(stringifyExactJson(parsed)).toBe(json);
  });

  test.each([{ a: 1 }, { a: 9007199254740993n }])(
    'is indented for people, with bigints or without (%#)',
    (value) => {
      expect(stringifyExactJson(value, 2)).toBe(`{\n  "a": ${String(value.a)}\n}`);
    },
  );

  test.each([
    ['1e3', 1000],
    ['1.0', 1],
    ['1E+2', 100],
    ['-0', -0],
    ['1e22', 1e22],
    ['0.1234567890123456789', 0.12345678901234568],
    ['9007199254740993.0', 9007199254740992],
    ['1234567890123456789e-3', 1234567890123456.8],
  ])('%s is the number that JSON.parse makes of it', (json, value) => {
    expect(parseExactJson(json)).toBe(value);
    expect(parseExactJson(`[${json},9007199254740993]`)).toEqual([value, 9007199254740993n]);
  });

  test('a run of 16 digits inside a string changes nothing but the way', () => {
    const json = '{"id":"1234567890123456789","time":5}';

    expect(needsExactParse(json)).toBe(true);
    expect(parseExactJson(json)).toEqual({ id: '1234567890123456789', time: 5 });
  });

  test.each([
    '{"__proto__":{"isAdmin":true}}',
    '{"__proto__":{"isAdmin":true},"n":9007199254740993}',
  ])('a key __proto__ is a key like any other: %s', (json) => {
    const parsed = parseExactJson(json) as object;

    expect(Object.keys(parsed)[0]).toBe('__proto__');
    expect((parsed as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(stringifyExactJson(parsed)).toBe(json);
  });

  test.each(['', '{', '{}{}', '01', '[1,]', "{'a':1}", 'NaN', '12345678901234567x'])(
    '%j is a SyntaxError',
    (json) => {
      expect(() => parseExactJson(json)).toThrow(SyntaxError);
    },
  );
});

describe('toWellFormed', () => {
  const clean = (json: string): unknown => toWellFormed(JSON.parse(json), json);

  test('lone surrogates in values and keys become U+FFFD, pairs stay', () => {
    expect(
      stringifyExactJson(
        clean(String.raw`{"\ud800k":["\udc00",{"a":"x\ud83dy"}],"ok":"\ud83d\ude00"}`),
      ),
    ).toBe('{"\ufffdk":["\ufffd",{"a":"x\ufffdy"}],"ok":"😀"}');
  });

  test('numbers, bigints, null and a key __proto__ are kept', () => {
    const json = String.raw`{"s":"\ud800","__proto__":{"a":1},"n":null,"l":9007199254740993,"d":1.5,"b":false}`;

    expect(stringifyExactJson(toWellFormed(parseExactJson(json), json))).toBe(
      json.replace(String.raw`\ud800`, '\ufffd'),
    );
  });

  test('a value without surrogates is returned unchanged, not copied', () => {
    const value = { a: ['b'] };

    expect(toWellFormed(value, JSON.stringify(value))).toBe(value);
  });
});

describe('json-text', () => {
  describe('a scan of JSON text', () => {
    test('finds no field that is absent, and the last of two', () => {
      const text = '{"a":1, "b":{"c":2}, "a" : [3] }';

      expect(fieldAt(text, 0, 'c')).toBeUndefined();
      expect(fieldAt(text, 0, 'a')).toEqual({
        start: text.indexOf('[3]'),
        end: text.indexOf(' }'),
      });
    });

    test('finds numbers of more than 15 characters outside strings', () => {
      const text =
        '{"1234567890123456":[12345678901234567,1,"9007199254740993",-900719925474099.5]}';

      expect([...longNumbersIn(text, { start: 0, end: text.length })]).toEqual([
        '12345678901234567',
        '-900719925474099.5',
      ]);
    });
  });
});
