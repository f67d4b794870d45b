import { expect, test } from '@jest/globals';
import { csvCell, toCsv } from './csv.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+49151', "'+49151"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
  ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
])('%j cannot be run by a spreadsheet', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});

test('numbers stay numbers, also negative ones and those of many digits', () => {
  expect(csvCell(-2)).toBe('-2');
  expect(csvCell(9_223_372_036_854_775_807n)).toBe('9223372036854775807');
  expect(csvCell(null)).toBe('');
});

test('what has a comma, a quote or a line in it is quoted', () => {
  expect(csvCell('a,b')).toBe('"a,b"');
  expect(csvCell('say "hi"')).toBe('"say ""hi"""');
  expect(csvCell('two\nlines')).toBe('"two\nlines"');
});

test('columns are those of all rows', () => {
  expect(toCsv([{ a: 1 }, { b: { c: 2 } }])).toBe('a,b\r\n1,\r\n,"{\n  ""c"": 2\n}"\r\n');
});
