import { expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { createPoolShare } from './pool-share.ts';

const poolOf = (max: number) => ({ options: { max } }) as Pick<Pool, 'options'>;

/** Work that ends at a call of `end`. */
function createWork() {
  const started: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  return {
    started,
    begin: (name: string) => (): Promise<string> => {
      started.push(name);
      return new Promise((resolve, reject) =>
        ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error))),
      );
    },
    end: (name: string, error?: Error) => ends.get(name)?.(error),
  };
}

test('a pool is as large as its largest share', () => {
  const pool = poolOf(4);

  createPoolShare(pool, 8);
  createPoolShare(pool, 2);

  expect(pool.options.max).toBe(8);
});

test('work above the share waits in order of arrival, also behind work that fails', async () => {
  const share = createPoolShare(poolOf(8), 2);
  const { started, begin, end } = createWork();
  const results = ['a', 'b', 'c', 'd'].map((name) => share(begin(name)).catch(String));
  expect(started).toEqual(['a', 'b']);

  end('b', new Error('no'));
  expect(await results[1]).toBe('Error: no');
  expect(started).toEqual(['a', 'b', 'c']);
  end('a');
  await results[0];
  expect(started).toEqual(['a', 'b', 'c', 'd']);

  end('c');
  end('d');
  expect(await Promise.all(results)).toEqual(['a', 'Error: no', 'c', 'd']);
});

test('one service does not wait for the share of another', async () => {
  const pool = poolOf(8);
  const [one, other] = [createPoolShare(pool, 1), createPoolShare(pool, 1)];
  const { started, begin, end } = createWork();
  const results = [one(begin('a')), one(begin('b')), other(begin('c'))];

  expect(started).toEqual(['a', 'c']);

  end('a');
  await results[0];
  end('b');
  end('c');
  await Promise.all(results);
});

test('work that waits too long fails like work that waits for the pool, and later work begins', async () => {
  const share = createPoolShare(poolOf(8), 1, 1);
  const { started, begin, end } = createWork();
  const first = share(begin('a'));

  await expect(share(begin('b'))).rejects.toThrow('timeout exceeded when trying to connect');
  end('a');
  await first;
  void share(begin('c'));

  expect(started).toEqual(['a', 'c']);
});

test('where no share is larger, work goes to the pool at once: the pool is the bound', () => {
  const share = createPoolShare(poolOf(1), 1);
  const { started, begin } = createWork();

  void share(begin('a'));
  void share(begin('b'));

  expect(started).toEqual(['a', 'b']);
});
