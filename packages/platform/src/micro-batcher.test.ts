import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createMicroBatcher, type MicroBatcherOptions } from './micro-batcher.ts';
import { createFakeClock } from './testing/fake-clock.ts';
import { inTrace } from './testing/in-trace.ts';
import { currentTraceparent } from './tracing/spans.ts';

/** A batcher whose runs the test ends, in any order. */
function heldBatcher(options: Partial<MicroBatcherOptions<string, string>> = {}) {
  const runs: { readonly items: readonly string[]; end(error?: Error): void }[] = [];
  const batcher = createMicroBatcher<string, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        const results = items.map((item) => `done ${item}`);
        runs.push({
          items,
          end: (error) => (error === undefined ? resolve(results) : reject(error)),
        });
      }),
    isOwnFault: () => true,
    deadline: { ms: 10_000, error: () => new Error('too late') },
    itemsMax: 100,
    bytesMax: 1_000,
    ...options,
  });
  return { batcher, runs, itemsOfRuns: () => runs.map(({ items }) => items) };
}

async function turns(): Promise<void> {
  for (let count = 0; count < 3; count += 1) await turn();
}

test('no more runs are under way than allowed', async () => {
  const { batcher, runs, itemsOfRuns } = heldBatcher({ itemsMax: 1, runsMax: 2 });
  const results = Promise.all(['a', 'b', 'c'].map((item) => batcher.add(item, 1)));
  await turns();

  expect(itemsOfRuns()).toEqual([['a'], ['b']]);
  expect(batcher.waiting()).toBe(1);
  runs[1]?.end();
  await turns();
  expect(itemsOfRuns()).toEqual([['a'], ['b'], ['c']]);

  for (const run of runs) run.end();
  expect(await results).toEqual(['done a', 'done b', 'done c']);
});

test('beside a run that is under way another begins for as many items as are asked for, and fewer go when it ends', async () => {
  const { batcher, runs, itemsOfRuns } = heldBatcher({
    itemsMax: 10,
    runsMax: 2,
    overlapItemsMin: 2,
  });
  const results = [batcher.add('a', 1)];
  await turns();
  results.push(batcher.add('b', 1));
  await turns();
  expect(itemsOfRuns()).toEqual([['a']]);

  results.push(batcher.add('c', 1));
  await turns();
  expect(itemsOfRuns()).toEqual([['a'], ['b', 'c']]);

  results.push(batcher.add('d', 1));
  for (const run of runs) run.end();
  await turns();
  expect(itemsOfRuns()).toEqual([['a'], ['b', 'c'], ['d']]);
  runs[2]?.end();
  expect(await Promise.all(results)).toEqual(['done a', 'done b', 'done c', 'done d']);
});

test('between the starts of two runs is the least time asked for, and what comes meanwhile shares the next', async () => {
  const clock = createFakeClock();
  const { batcher, runs, itemsOfRuns } = heldBatcher({ runIntervalMs: 40, clock });
  const first = batcher.add('a', 1);
  await turns();
  runs[0]?.end();
  await first;
  const later = [batcher.add('b', 1)];
  clock.advance(39);
  await turns();
  expect(itemsOfRuns()).toEqual([['a']]);
  later.push(batcher.add('c', 1));
  clock.advance(1);
  await turns();

  expect(itemsOfRuns()).toEqual([['a'], ['b', 'c']]);
  runs[1]?.end();
  await Promise.all(later);
});

test('an item after a pause waits for nothing', async () => {
  const clock = createFakeClock();
  const { batcher, runs, itemsOfRuns } = heldBatcher({ runIntervalMs: 40, clock });
  const first = batcher.add('a', 1);
  await turns();
  runs[0]?.end();
  await first;
  clock.advance(40);
  await turns();
  const second = batcher.add('b', 1);
  await turns();

  expect(itemsOfRuns()).toEqual([['a'], ['b']]);
  runs[1]?.end();
  await second;
});

test('one alone goes beside those under way', async () => {
  const { batcher, runs, itemsOfRuns } = heldBatcher();
  const queued = batcher.add('a', 1);
  await turns();
  const alone = batcher.addAlone('b', 1);

  expect(itemsOfRuns()).toEqual([['a'], ['b']]);
  for (const run of runs) run.end();
  expect(await Promise.all([queued, alone])).toEqual(['done a', 'done b']);
});

test('an item whose deadline has passed is in no run, and its caller is told', async () => {
  const { batcher, runs, itemsOfRuns } = heldBatcher();
  const first = batcher.add('a', 1);
  await turns();
  await expect(batcher.add('b', 1, 20)).rejects.toThrow('too late');
  runs[0]?.end();
  await first;
  await turns();

  expect(itemsOfRuns()).toEqual([['a']]);
});

test('those who wait can be failed at once, those under way are not', async () => {
  const { batcher, runs } = heldBatcher();
  const first = batcher.add('a', 1);
  await turns();
  const second = batcher.add('b', 1);
  batcher.failWaiting(new Error('away'));

  await expect(second).rejects.toThrow('away');
  runs[0]?.end();
  expect(await first).toBe('done a');
});

test('one item at fault takes no other with it', async () => {
  const batcher = createMicroBatcher<string, string>({
    run: async (items) => {
      if (items.includes('bad')) throw new Error('bad');
      return items;
    },
    isOwnFault: () => true,
    deadline: { ms: 10_000, error: () => new Error('too late') },
    itemsMax: 100,
    bytesMax: 1_000,
  });
  const results = await Promise.allSettled(
    ['a', 'bad', 'b', 'c'].map((item) => batcher.add(item, 1)),
  );
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
});

test('a run that tells of fewer items than it was given tells nobody of success', async () => {
  const { batcher } = heldBatcher({ run: async () => ['only one'], isOwnFault: () => false });
  const results = await Promise.allSettled([batcher.add('a', 1), batcher.add('b', 1)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('drain waits for what waits and what is under way', async () => {
  const { batcher, runs } = heldBatcher({ itemsMax: 1 });
  const results = [batcher.add('a', 1), batcher.add('b', 1)];
  let isDrained = false;
  const drained = batcher.drain().then(() => (isDrained = true));
  await turns();
  runs[0]?.end();
  await turns();
  expect(isDrained).toBe(false);
  runs[1]?.end();
  await drained;
  await Promise.all(results);
});

test.each([
  ['at once', 0],
  ['later, since another has just begun', 20],
])(
  'a run that begins %s is in the trace of none of its callers, each of whom goes on in his own',
  async (_name, runIntervalMs) => {
    const traces: (string | undefined)[] = [];
    const batcher = createMicroBatcher<string, undefined>({
      run: async (items) => {
        traces.push(currentTraceparent());
        await turn();
        traces.push(currentTraceparent());
        return items.map(() => undefined);
      },
      isOwnFault: () => true,
      itemsMax: 1,
      runIntervalMs,
    });
    const add = (item: string) =>
      inTrace(async () => {
        await batcher.add(item);
        return currentTraceparent();
      });

    const own = await Promise.all(['a', 'b', 'c'].map(add));

    expect(traces).toEqual(Array.from({ length: 6 }, () => undefined));
    expect(own).toEqual(own.map(() => expect.stringMatching(/^00-/)));
  },
);
