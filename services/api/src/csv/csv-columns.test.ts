import { describe, expect, test } from '@jest/globals';
import { listColumns } from '@tidings/api-spec/lists';
import { Type } from 'typebox';
import { readCells, csvLine } from './csv-columns.ts';

describe('a cell', () => {
  test.each([
    '=1+1',
    '+49 30 1',
    '+',
    '+1+1',
    '+1\n',
    '-2',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\n=x',
    '＝1',
    '＋1',
    '－1',
    '＠x',
  ])('that starts like a formula (%j) becomes text', (text) => {
    expect(csvLine([text]).replace(/^"/, '')).toMatch(/^'/);
  });

  test.each(['+4915123456789', '', 'ada', '1=1', "'=1", ' =1', 'a-b'])(
    'that does not (%j) is unchanged',
    (text) => {
      expect(csvLine([text]).replaceAll('"', '')).toBe(`${text}\r\n`);
    },
  );

  test('with a number stays a number, including negative ones and those beyond 2^53', () => {
    expect(csvLine([-5, 1.5, 9007199254740993n, true])).toBe('-5,1.5,9007199254740993,true\r\n');
  });

  test('with separators, quotes, line breaks or surrounding spaces is quoted', () => {
    expect(csvLine(['a,b', 'a"b', 'a\r\nb', ' a'])).toBe('"a,b","a""b","a\r\nb"," a"\r\n');
  });

  test('without a value is empty, and with an object contains its JSON', () => {
    expect(csvLine([null, undefined, { a: [1] }])).toBe(',,"{""a"":[1]}"\r\n');
  });
});

describe('columns', () => {
  test('are the fields of an item, including nested ones', () => {
    const columns = listColumns(
      Type.Object({
        id: Type.String(),
        counts: Type.Object({ sent: Type.Integer() }),
        list: Type.Array(Type.String()),
        any: Type.Unsafe({ type: 'object' }),
      }),
    );

    expect(columns.map(({ name }) => name)).toEqual(['id', 'counts.sent', 'list', 'any']);
    expect(readCells({ id: 'x', counts: { sent: 2 }, list: ['a'] }, columns)).toEqual([
      'x',
      2,
      ['a'],
      undefined,
    ]);
    expect(readCells({ id: 'x', counts: null }, columns)).toEqual([
      'x',
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('of alternatives are the union, each once', () => {
    const either = Type.Unsafe({
      anyOf: [
        Type.Object({ id: Type.String(), a: Type.String() }),
        Type.Object({ id: Type.String(), b: Type.String() }),
      ],
    });

    expect(listColumns(either).map(({ name }) => name)).toEqual(['id', 'a', 'b']);
  });
});
