import { describe, expect, test } from '@jest/globals';
import { prefersLenient } from './prefer.ts';

describe('lenient handling is asked for by', () => {
  test.each([
    'handling=lenient',
    'Handling=Lenient',
    'HANDLING = lenient',
    'handling="lenient"',
    'respond-async, handling=lenient',
    'handling=lenient, wait=10',
    'wait=10;a="b,c;handling=strict", handling=lenient; x=1; y',
    'handling=lenient;',
    ', ,handling=lenient',
    'foo; handling=strict, handling=lenient',
    String.raw`foo="a\"b", handling=lenient`,
    'handling=lenient, handling=strict',
  ])('%s', (header) => {
    expect(prefersLenient(header)).toBe(true);
  });
});

describe('it is not asked for by', () => {
  test.each([
    undefined,
    '',
    'handling',
    'handling=',
    'handling=""',
    'handling=strict',
    'handling=strict, handling=lenient',
    'handling=lenient2',
    'lenient',
    'respond-async',
    'foo; handling=lenient',
    'foo="handling=lenient"',
    'foo=", handling=lenient',
    'x-handling=lenient',
    '=lenient',
    '{"handling":"lenient"}',
  ])('%s', (header) => {
    expect(prefersLenient(header)).toBe(false);
  });
});

test('a header of the greatest size is read in no time', () => {
  const startedAt = performance.now();

  for (const text of ['"\\', ';=,', ' \t', 'a="', '\\"', ', '])
    expect(prefersLenient(text.repeat(16_384 / text.length))).toBe(false);

  expect(performance.now() - startedAt).toBeLessThan(500);
});
