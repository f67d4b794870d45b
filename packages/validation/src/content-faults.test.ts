import { describe, expect, test } from '@jest/globals';
import { FIELD_ERRORS_MAX } from '@tidings/contracts/errors/error-codes';
import { findContentFaults, type ContentRules } from './content-faults.ts';

const RULES: ContentRules = {
  pointer: '/m',
  levelsAbove: 0,
  isId: (path) => path.length === 1 && path.step(0) === 'id',
  expectedNumber: (path) => (path.step(0) === 'unknown' ? null : 'a number'),
  partOf: (path) => ({ part: path.step(0) === 'a' ? 1 : 0, levels: 1 }),
};

function faultsOf(text: string, rules: Partial<ContentRules> = {}): string[] {
  return findContentFaults(JSON.parse(text), text, { ...RULES, ...rules }).map(
    ({ pointer, code, expected }) => `${pointer} ${code}: ${expected}`,
  );
}

const lists = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
const manyOf = (item: string, count: number): string =>
  `[${Array.from({ length: count }, () => item).join(',')}]`;

describe('a fault of content', () => {
  test.each<[string, string, string[]]>([
    ['none', String.raw`{"a":[1,"x",null,{"b":"\ud83d\ude00"}],"id":"u"}`, []],
    [
      'U+0000 in a text',
      String.raw`{"a":["x",{"b":"\u0000"}]}`,
      ['/m/a/1/b nul_not_allowed: text without U+0000'],
    ],
    [
      'U+0000 in a key, then a fault of its value',
      String.raw`{"a":{"b\u0000":1e400}}`,
      ['/m/a nul_not_allowed: keys without U+0000', '/m/a/b\0 out_of_range: a number'],
    ],
    [
      'a lone surrogate in an id alone',
      String.raw`{"a":"\ud800","id":"\ud800","b":{"id":"\udc00"}}`,
      ['/m/id invalid_value: text without lone surrogates'],
    ],
    [
      'a number that no double holds, where it has an effect',
      '{"unknown":1e400,"a":[-1e400]}',
      ['/m/a/0 out_of_range: a number'],
    ],
    ['16 levels', `{"a":${lists(15)}}`, []],
    [
      'every value of the 17th level',
      `{"a":${'['.repeat(15)}[],1,{}${']'.repeat(15)}}`,
      [
        `/m/a${'/0'.repeat(15)} too_deep: at most 16 levels in a message`,
        `/m/a${'/0'.repeat(14)}/2 too_deep: at most 16 levels in a message`,
      ],
    ],
    [
      'the order of the body',
      String.raw`{"z":"\u0000","a":[1e400,"\u0000"]}`,
      [
        '/m/z nul_not_allowed: text without U+0000',
        '/m/a/0 out_of_range: a number',
        '/m/a/1 nul_not_allowed: text without U+0000',
      ],
    ],
    ['a text alone', String.raw`"\u0000"`, ['/m nul_not_allowed: text without U+0000']],
  ])('%s', (_what, text, faults) => {
    expect(faultsOf(text)).toEqual(faults);
  });

  test('levels above a message do not count', () => {
    expect(faultsOf(lists(18), { levelsAbove: 2 })).toEqual([]);
    expect(faultsOf(lists(19), { levelsAbove: 2 })).toHaveLength(1);
  });

  test('100,000 levels cost no stack', () => {
    expect(faultsOf(lists(100_000))).toHaveLength(1);
  });
});

describe('more faults than an answer shows', () => {
  const text = `{"b":${manyOf('1e400', 500)},"a":${manyOf('1e400', 500)},"c":1e400}`;

  test('are cut to the limit and one, and the first of each further part', () => {
    const faults = faultsOf(text);

    expect(faults).toHaveLength(FIELD_ERRORS_MAX + 2);
    expect(faults.at(-2)).toBe('/m/b/100 out_of_range: a number');
    expect(faults.at(-1)).toBe('/m/a/0 out_of_range: a number');
  });

  test('end the walk where the whole body is one part', () => {
    const visited: string[] = [];

    const faults = faultsOf(text, {
      partOf: () => ({ part: 0, levels: 0 }),
      expectedNumber: (path) => {
        visited.push(path.step(0));
        return 'a number';
      },
    });

    expect(faults).toHaveLength(FIELD_ERRORS_MAX + 1);
    expect(visited).toHaveLength(FIELD_ERRORS_MAX + 2);
  });
});
