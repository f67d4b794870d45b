import { describe, expect, jest, test } from '@jest/globals';
import { createTurns, type TurnOptions } from './question-turns.ts';

const OPTIONS: TurnOptions = {
  places: 4,
  placesOfApplication: 2,
  waitersMax: 6,
  waitersOfApplicationMax: 3,
  waitMs: 60_000,
};

/** Questions that run until they are ended. */
function createSubject(options: Partial<TurnOptions> = {}) {
  const turns = createTurns({ ...OPTIONS, ...options });
  const running: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, applicationId = name.charAt(0)): Promise<string> =>
    turns.take(applicationId, async () => {
      running.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      running.splice(running.indexOf(name), 1);
      return name;
    });
  const settle = async (): Promise<void> => {
    for (let step = 0; step < 10; step += 1) await Promise.resolve();
  };
  const askAll = async (...names: string[]) => {
    const answers = names.map((name) => ask(name));
    await settle();
    return { last: () => answers.at(-1) };
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await settle();
  };
  return { turns, running, askAll, end };
}

describe('turns', () => {
  test('an application has two places, and all have four', async () => {
    const { running, askAll } = createSubject();

    await askAll('a1', 'a2', 'a3', 'b1', 'b2', 'c1');

    expect(running).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  test('beside one that asks without end, another is answered at once', async () => {
    const { running, askAll } = createSubject();
    await askAll('a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7');

    await askAll('b1', 'b2');

    expect(running).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  test('a place goes to the application with the fewest, then to the one that waits longest', async () => {
    const { running, askAll, end } = createSubject();
    await askAll('a1', 'a2', 'b1', 'b2', 'a3', 'b3', 'c1');

    await end('a1');
    expect(running).toEqual(['a2', 'b1', 'b2', 'c1']);
    await end('c1');
    expect(running).toEqual(['a2', 'b1', 'b2', 'a3']);
    await end('b1');
    expect(running).toEqual(['a2', 'b2', 'a3', 'b3']);
  });

  test('a place that the waiting application may not have stays free for others', async () => {
    const { running, askAll, end } = createSubject();
    await askAll('a1', 'a2', 'b1', 'b2', 'a3');

    await end('b1');
    expect(running).toEqual(['a1', 'a2', 'b2']);
    await askAll('c1');
    expect(running).toEqual(['a1', 'a2', 'b2', 'c1']);
    await end('a1');
    expect(running).toEqual(['a2', 'b2', 'c1', 'a3']);
  });

  test('too many that wait are busy at once, of an application and of all', async () => {
    const { askAll } = createSubject();
    const own = await askAll('a1', 'a2', 'a3', 'a4', 'a5', 'a6');
    expect(await own.last()).toBe('busy');

    const others = await askAll('b1', 'b2', 'b3', 'b4', 'b5', 'c1');
    expect(await others.last()).toBe('busy');
  });

  test('work that fails gives its place back', async () => {
    const { turns, running, askAll } = createSubject({ places: 1 });

    await expect(turns.take('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await askAll('b1');

    expect(running).toEqual(['b1']);
  });

  test('one that has waited too long is busy, and does not run later', async () => {
    jest.useFakeTimers();
    try {
      const { running, askAll, end } = createSubject({ places: 1, waitMs: 5_000 });
      const late = await askAll('a1', 'b1');

      jest.advanceTimersByTime(5_000);
      expect(await late.last()).toBe('busy');
      await end('a1');

      expect(running).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });
});
