import { describe, expect, test } from '@jest/globals';
import { LIMITS } from '@tidings/contracts';
import { findHostileContent } from './hostile-content.ts';
import { isPlainContent } from './plain-content.ts';

const bodyWith = (attributes: unknown): string =>
  JSON.stringify({ customUserId: 'ada', messages: [{ type: 'action', id: 'm', time: 1, customName: 'n', attributes }] });
const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });

describe('plain content', () => {
  test.each([
    ['an ordinary message', bodyWith({ price: 19.99, path: ['a', 'b'], ok: true, none: null, text: 'naïve 😀' })],
    ['the last safe integer', bodyWith({ n: Number.MAX_SAFE_INTEGER })],
    ['a small exponent', bodyWith({ n: 0 }).replace('"n":0', '"n":1e-7')],
    ['keys of the prototype', bodyWith({}).replace('{}', '{"__proto__":{"a":1},"constructor":2}')],
  ])('%s passes the quick walk', (_name, text) => {
    expect(isPlainContent(JSON.parse(text), text)).toBe(true);
  });

  test.each([
    ['an escape', '{"messages":[{"id":"\\u0041"}]}'],
    ['an integer beyond 2^53', bodyWith({ n: 0 }).replace('"n":0', '"n":9007199254740993')],
    ['a number that no double can hold', bodyWith({ n: 0 }).replace('"n":0', '"n":1e400')],
    ['one level too many', bodyWith(nested(LIMITS.messageDepthMax))],
    ['too many keys', bodyWith(Object.fromEntries(Array.from({ length: LIMITS.messageKeysMax }, (_, n) => [`k${n}`, 0])))],
    ['a message that may be too long', bodyWith({ text: 'x'.repeat(LIMITS.messageBytesMax) })],
    ['an object where the envelope has none', '{"extra":{},"messages":[{}]}'],
    ['no messages', '{}'],
    ['no object', '5'],
  ])('%s is looked at closer', (_name, text) => {
    expect(isPlainContent(JSON.parse(text), text)).toBe(false);
  });

  test('whatever passes the quick walk has no fault in the careful one', () => {
    const texts = [
      bodyWith(nested(LIMITS.messageDepthMax - 1)),
      bodyWith(Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`k${n}`, true]))),
      bodyWith({ text: '字'.repeat(Math.floor(LIMITS.messageBytesMax / 3) - 200) }),
    ];

    for (const text of texts) {
      expect(isPlainContent(JSON.parse(text), text)).toBe(true);
      expect(findHostileContent(JSON.parse(text), text)).toEqual([]);
    }
  });
});
