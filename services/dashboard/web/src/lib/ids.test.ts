import { expect, test } from '@jest/globals';
import { newId, readUuid, shortId } from './ids.ts';

const ID = '01a1fda0-84a5-72c8-802b-8cdeabd134bc';

test.each([
  ['as it is', ID],
  ['in capitals', ID.toUpperCase()],
  ['with spaces around it', `  \t${ID}\n`],
  ['with spaces in it', '01a1fda0 84a5 72c8 802b 8cde abd1 34bc'],
  ['without hyphens', ID.replaceAll('-', '')],
  ['in quotes and braces', `"{${ID}}"`],
  ['as the end of an address', `https://tidings.example/api/v1/campaigns/${ID}?limit=1`],
  ['after a word that ends like an id', `face ${ID}`],
])('an id is read %s', (_how, text) => {
  expect(readUuid(text)).toBe(ID);
});

test.each(['', 'ada', ID.slice(1), '01a1fda0-84a5-72c8-802b-8cdeabd134bg'])(
  '"%s" is no id',
  (text) => {
    expect(readUuid(text)).toBeNull();
  },
);

test('an id in short is its end: those of one moment begin alike', () => {
  expect(shortId(ID)).toBe('…abd134bc');
  expect(shortId('m1')).toBe('m1');
});

test('new ids are 32 digits, each another', () => {
  const ids = Array.from({ length: 1_000 }, newId);

  expect(ids.filter((id) => !/^[0-9a-f]{32}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(1_000);
});
