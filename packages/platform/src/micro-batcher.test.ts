import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import {
  afterFailure,
  canStart,
  createMicroBatcher,
  runSize,
  type MicroBatcherOptions,
} from './micro-batcher.ts';
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

describe('canStart', () => {
  test.each([
    { name: 'an empty queue', queued: 0, inProgress: 0, isScheduled: false, expected: false },
    { name: 'one item, no run', queued: 1, inProgress: 0, isScheduled: false, expected: true },
    { name: 'a scheduled start', queued: 5, inProgress: 0, isScheduled: true, expected: false },
    {
      name: 'too few items to overlap',
      queued: 2,
      inProgress: 1,
      isScheduled: false,
      expected: false,
    },
    {
      name: 'enough items to overlap',
      queued: 3,
      inProgress: 1,
      isScheduled: false,
      expected: true,
    },
    { name: 'all runs in progress', queued: 9, inProgress: 2, isScheduled: false, expected: false },
  ])('$name: $expected', ({ queued, inProgress, isScheduled, expected }) => {
    const runs = { inProgress, isScheduled, nextAt: 0 };
    expect(canStart(queued, runs, { runsMax: 2, overlapItemsMin: 3 })).toBe(expected);
  });
});

describe('runSize', () => {
  test.each([
    { name: 'an empty queue', sizes: [], expected: 0 },
    { name: 'all items within the bounds', sizes: [4, 4], expected: 2 },
    { name: 'the item limit', sizes: [1, 1, 1, 1], expected: 3 },
    { name: 'the byte limit, reached exactly', sizes: [4, 6, 1], expected: 2 },
    { name: 'an item that would exceed the byte limit', sizes: [4, 7], expected: 1 },
    { name: 'one item above the byte limit', sizes: [99, 1], expected: 1 },
  ])('$name: $expected', ({ sizes, expected }) => {
    const queue = sizes.map((bytes) => ({ bytes }));
    expect(runSize(queue, { itemsMax: 3, bytesMax: 10 })).toBe(expected);
  });
});

test.each([
  { items: 1, isOwnFault: true, expected: 'reject' },
  { items: 1, isOwnFault: false, expected: 'reject' },
  { items: 2, isOwnFault: true, expected: 'split' },
  { items: 2, isOwnFault: false, expected: 'reject' },
])('after a failed run of $items items, own fault $isOwnFault: $expected', (row) => {
  expect(afterFailure(row.items, row.isOwnFault)).toBe(row.expected);
});

test('no more than runsMax runs are in progress', async () => {
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

test('a second run starts for overlapItemsMin items; fewer items run when the first one ends', async () => {
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

test('two runs start at least runIntervalMs apart; items queued meanwhile share the next run', async () => {
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

test('enough items do not wait for runIntervalMs', async () => {
  const clock = createFakeClock();
  const { batcher, runs, itemsOfRuns } = heldBatcher({ runIntervalMs: 40, enoughItems: 3, clock });
  const all = [batcher.add('a', 1)];
  await turns();
  runs[0]?.end();
  await all[0];
  all.push(batcher.add('b', 1), batcher.add('c', 1));
  clock.advance(39);
  await turns();
  expect(itemsOfRuns()).toEqual([['a']]);
  all.push(batcher.add('d', 1), batcher.add('e', 1));
  await turns();

  expect(itemsOfRuns()).toEqual([['a'], ['b', 'c', 'd', 'e']]);
  // The start that waited was called off.
  clock.advance(1);
  all.push(batcher.add('f', 1));
  await turns();
  expect(itemsOfRuns()).toHaveLength(2);
  runs[1]?.end();
  await turns();
  clock.advance(40);
  await turns();
  runs[2]?.end();
  expect(await Promise.all(all)).toHaveLength(6);
});

test('an item after a pause is not delayed', async () => {
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

test('addAlone runs an item beside a run in progress', async () => {
  const { batcher, runs, itemsOfRuns } = heldBatcher();
  const queued = batcher.add('a', 1);
  await turns();
  const alone = batcher.addAlone('b', 1);

  expect(itemsOfRuns()).toEqual([['a'], ['b']]);
  for (const run of runs) run.end();
  expect(await Promise.all([queued, alone])).toEqual(['done a', 'done b']);
});

test('an item past its deadline is not run, and its caller gets the error', async () => {
  const { batcher, runs, itemsOfRuns } = heldBatcher();
  const first = batcher.add('a', 1);
  await turns();
  await expect(batcher.add('b', 1, 20)).rejects.toThrow('too late');
  runs[0]?.end();
  await first;
  await turns();

  expect(itemsOfRuns()).toEqual([['a']]);
});

test('failWaiting rejects queued items, not those in progress', async () => {
  const { batcher, runs } = heldBatcher();
  const first = batcher.add('a', 1);
  await turns();
  const second = batcher.add('b', 1);
  batcher.failWaiting(new Error('away'));

  await expect(second).rejects.toThrow('away');
  runs[0]?.end();
  expect(await first).toBe('done a');
});

test('one item at fault does not fail the others', async () => {
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

test('a run with too few results fails all its items', async () => {
  const { batcher } = heldBatcher({ run: async () => ['only one'], isOwnFault: () => false });
  const results = await Promise.allSettled([batcher.add('a', 1), batcher.add('b', 1)]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

test('drain waits for queued items and runs in progress', async () => {
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
  ['after the interval', 20],
])(
  'a run that starts %s belongs to no caller’s trace, and each caller keeps its own',
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
