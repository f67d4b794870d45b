import { describe, expect, test } from '@jest/globals';
import { onAbort } from './on-abort.ts';

function listen(names: readonly string[]) {
  const aborting = new AbortController();
  const told: string[] = [];
  const callOffs = Object.fromEntries(
    names.map((name) => [name, onAbort(aborting.signal, () => void told.push(name))]),
  );
  return {
    told,
    abort: () => aborting.abort(),
    callOff: (name: string) => callOffs[name]?.(),
    signal: aborting.signal,
  };
}

describe('onAbort', () => {
  test('calls every listener once', () => {
    const { told, abort } = listen(['a', 'b', 'c']);

    abort();
    abort();

    expect(told).toEqual(['a', 'b', 'c']);
  });

  test.each([
    [['a'], ['b', 'c']],
    [['b'], ['a', 'c']],
    [['c'], ['a', 'b']],
    [['a', 'b'], ['c']],
    [['c', 'a'], ['b']],
    [
      ['b', 'b'],
      ['a', 'c'],
    ],
    [['a', 'c', 'b'], []],
  ])('called off %p, it tells %p', (calledOff, expected) => {
    const { told, abort, callOff } = listen(['a', 'b', 'c']);

    for (const name of calledOff) callOff(name);
    abort();

    expect(told.toSorted()).toEqual(expected);
  });

  test('calls at once if it has aborted', () => {
    const { told, abort, signal } = listen([]);
    abort();

    onAbort(signal, () => void told.push('late'))();

    expect(told).toEqual(['late']);
  });

  test('a listener can remove others that were not called yet', () => {
    const { told, abort, callOff, signal } = listen(['a']);
    onAbort(signal, () => {
      callOff('a');
      callOffLater();
    });
    const callOffLater = onAbort(signal, () => void told.push('b'));
    onAbort(signal, () => void told.push('c'));

    abort();

    expect(told).toEqual(['a', 'c']);
  });

  test('a signal has one listener, however many come and go', () => {
    const { signal } = new AbortController();
    let added = 0;
    const { addEventListener } = signal;
    signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
      added += 1;
      addEventListener.apply(signal, args);
    };

    for (let n = 0; n < 100; n += 1) onAbort(signal, () => undefined)();

    expect(added).toBe(1);
  });
});
