import { describe, expect, test } from '@jest/globals';
import { requestValue } from './request-value.ts';

describe('a value of a request', () => {
  const color = requestValue<string>('color');
  const size = requestValue<number>('size');

  test('is read as set, by its own name and request', () => {
    const [one, other] = [{ locals: {} }, { locals: {} }];

    color.set(one, 'red');
    size.set(one, 0);
    color.set(other, 'blue');

    expect([color.of(one), size.of(one), color.of(other)]).toEqual(['red', 0, 'blue']);
    expect(size.find(other)).toBeUndefined();
  });

  test('is set once', () => {
    const res = { locals: {} };
    color.set(res, 'red');

    expect(() => color.set(res, 'blue')).toThrow('The request already has a color.');
    expect(color.of(res)).toBe('red');
  });

  test('is not readable before it is set, nor after it was removed', () => {
    const res = { locals: {} };
    expect(() => color.of(res)).toThrow('The request has no color.');
    color.set(res, 'red');

    expect(color.take(res)).toBe('red');
    expect(color.take(res)).toBeUndefined();
    expect(() => color.of(res)).toThrow('The request has no color.');
  });
});
