import { describe, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { createRoundRobin, handleRoundRobin } from './round-robin.ts';

const EXPRESS = { max: 16, ownedMax: 5 } as const;
const BULK = { max: 2, ownedMax: 1 } as const;

/** All indexes that may begin now. */
function begin(turns: ReturnType<typeof createRoundRobin>): number[] {
  const begun: number[] = [];
  for (let index = turns.take(); index !== undefined; index = turns.take()) begun.push(index);
  return begun;
}

const many = (owner: string, count: number): string[] => Array.from({ length: count }, () => owner);
const ownersOf = (owners: readonly string[], indexes: readonly number[]): string =>
  indexes.map((index) => owners[index]).join('');

describe('round-robin over a batch', () => {
  test.each([
    ['one application alone holds all express turns', many('a', 40), EXPRESS, 'a'.repeat(16)],
    ['one application alone holds both bulk turns', many('a', 5), BULK, 'aa'],
    [
      'while one chunk of another waits behind forty, it has its turn second',
      [...many('a', 40), 'b'],
      EXPRESS,
      `ab${'a'.repeat(14)}`,
    ],
    [
      'of two that both wait, each holds five',
      [...many('a', 40), ...many('b', 40)],
      EXPRESS,
      'abababab' + 'ab',
    ],
    [
      'of four that wait, none holds more than five',
      ['a', 'b', 'c', 'd'].flatMap((owner) => many(owner, 40)),
      EXPRESS,
      'abcd'.repeat(4),
    ],
    ['in bulk, each of two holds one', [...many('a', 10), ...many('b', 10)], BULK, 'ab'],
    ['an empty batch has no turns', [], EXPRESS, ''],
  ])('%s', (_name, owners, options, expected) => {
    const turns = createRoundRobin(owners, options);

    expect(ownersOf(owners, begin(turns))).toBe(expected);
  });

  test('the sixth of one application begins when no other waits', () => {
    const owners = [...many('a', 10), ...many('b', 6)];
    const turns = createRoundRobin(owners, EXPRESS);
    const begun = begin(turns);
    expect(ownersOf(owners, begun)).toBe('ababababab');

    turns.finish(begun.find((index) => owners[index] === 'b') ?? -1);

    // The last of the other takes its turn; now the first is alone.
    expect(ownersOf(owners, begin(turns))).toBe('baaaaa');
  });

  test('chunks of one application come in their order, each once', () => {
    const owners = Array.from(
      { length: 200 },
      (_, index) => ['a', 'b', 'c'][(index * index) % 3] ?? '',
    );
    const turns = createRoundRobin(owners, EXPRESS);
    const order: number[] = [];
    for (let begun = begin(turns); begun.length > 0; begun = begin(turns)) {
      order.push(...begun);
      for (const index of begun) turns.finish(index);
    }

    expect(order.toSorted((one, other) => one - other)).toEqual([...owners.keys()]);
    for (const owner of ['a', 'b', 'c']) {
      const own = order.filter((index) => owners[index] === owner);
      expect(own).toEqual(own.toSorted((one, other) => one - other));
    }
  });
});

describe('items handled round-robin', () => {
  test('while five of one application hang, those of another are all handled', async () => {
    const owners = [...many('a', 40), ...many('b', 60)];
    const release: (() => void)[] = [];
    const handled: string[] = [];
    const all = handleRoundRobin(createRoundRobin(owners, EXPRESS), async (index) => {
      if (owners[index] === 'a') await new Promise<void>((resolve) => release.push(resolve));
      else await turnOfTheLoop();
      handled.push(owners[index] ?? '');
    });
    await eventually(() => expect(handled).toHaveLength(60));

    expect(new Set(handled)).toEqual(new Set(['b']));
    await eventually(() => {
      for (const end of release.splice(0)) end();
      expect(handled).toHaveLength(100);
    });
    await all;
  });

  test('after a failure none begins, those at work end, and the first failure is thrown', async () => {
    const handled: number[] = [];
    let end = (): void => undefined;
    const all = handleRoundRobin(
      createRoundRobin(many('a', 10), { max: 2, ownedMax: 1 }),
      async (index) => {
        if (index === 0) throw new Error('first');
        await new Promise<void>((resolve) => (end = resolve));
        handled.push(index);
        throw new Error('second');
      },
    );
    void turnOfTheLoop().then(() => end());

    await expect(all).rejects.toThrow('first');
    expect(handled).toEqual([1]);
  });
});
