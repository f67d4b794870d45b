import { expect, test } from '@jest/globals';
import { columnsThatFit, type Room } from './column-room.ts';

type Named = Room & { readonly name: string };
const COLUMNS: readonly Named[] = [
  { name: 'title' },
  { name: 'status', width: '9rem' },
  { name: 'bar', width: '14rem', isMinor: true },
  { name: 'rate', width: '9rem' },
  { name: 'created', width: '10rem', isMinor: true },
  { name: 'source', width: '7rem', isMinor: true },
];
const namesAt = (widthRem: number, columns = COLUMNS) =>
  columnsThatFit(columns, widthRem).map(({ name }) => name);

test('minor columns give way from the last to the first, until the others have room', () => {
  expect(namesAt(61)).toEqual(['title', 'status', 'bar', 'rate', 'created', 'source']);
  expect(namesAt(60)).toEqual(['title', 'status', 'bar', 'rate', 'created']);
  expect(namesAt(53)).toEqual(['title', 'status', 'bar', 'rate']);
  expect(namesAt(43)).toEqual(['title', 'status', 'rate']);
});

test('the others stay, however little room there is', () => {
  expect(namesAt(1)).toEqual(['title', 'status', 'rate']);
});

test('a first column of text needs 12 rem, sentences 11, other texts 9', () => {
  const texts: readonly Named[] = [
    { name: 'id' },
    { name: 'why', hasOwnLine: true },
    { name: 'code' },
    { name: 'at', width: '10rem', isMinor: true },
  ];

  expect(namesAt(42, texts)).toEqual(['id', 'why', 'code', 'at']);
  expect(namesAt(41.5, texts)).toEqual(['id', 'why', 'code']);
});
