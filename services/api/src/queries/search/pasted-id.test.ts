import { describe, expect, test } from '@jest/globals';
import { firstIdSince } from '@tidings/postgres/first-id-since';
import { readPastedEventId, readPastedMessageId, readPastedUuid, timeOfId } from './pasted-id.ts';

const ID = '01a1fda0-7f01-73ac-9ab1-82b6d3569097';
const EVENT = 'evt_0123456789abcdef0123456789abcdef';

describe('a pasted UUID', () => {
  test.each([
    ID,
    ID.toUpperCase(),
    ID.replaceAll('-', ''),
    ` ${ID}\n`,
    ID.replaceAll('-', ' '),
    ID.replaceAll('-', '–'),
    `"${ID}",`,
    `{${ID}}`,
    `<${ID}>`,
  ])('is read from %j', (text) => {
    expect(readPastedUuid(text)).toBe(ID);
  });

  test.each(['', 'ada', ID.slice(1), `${ID}0`, `${ID} ${ID}`, EVENT, 'g'.repeat(32)])(
    'is not read from %j',
    (text) => {
      expect(readPastedUuid(text)).toBeNull();
    },
  );
});

test('the id of an event has its prefix', () => {
  expect(readPastedEventId(` ${EVENT.toUpperCase()};`)).toBe(EVENT);
  expect(readPastedEventId(EVENT.slice(4))).toBeNull();
  expect(readPastedEventId(`${EVENT}0`)).toBeNull();
});

test('words and addresses are no ids of messages', () => {
  expect(['m1', ID, '"order-1"', 'a:b/1'].map(readPastedMessageId)).toEqual([
    'm1',
    ID,
    'order-1',
    'a:b/1',
  ]);
  expect(['anna', 'sale 50 %', 'user5@example.com', ''].map(readPastedMessageId)).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test('an id has its time', () => {
  expect(timeOfId(firstIdSince(1_795_256_516_534))).toBe(1_795_256_516_534);
});
