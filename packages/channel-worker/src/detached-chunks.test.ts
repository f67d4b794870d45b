import { expect, jest, test } from '@jest/globals';
import { createFakeClock } from '@tidings/testing';
import { createDetachedChunks } from './detached-chunks.ts';

function setUp({ max = 2, ownedMax = 2 } = {}) {
  const clock = createFakeClock();
  const onError = jest.fn();
  const stopping = new AbortController();
  const detachedChunks = createDetachedChunks({
    afterMs: 1_000,
    max,
    ownedMax,
    timers: clock,
    onError,
  });
  /** Work that ends when the test says so, and whether it is still waited for. */
  const begin = ({ isReady = true, owner = 'a' } = {}) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ready = Promise.withResolvers<void>();
    if (isReady) ready.resolve();
    const state = { isOver: false, error: undefined as unknown };
    const waited = detachedChunks
      .waitFor(promise, { owner, isReady: ready.promise, signal: stopping.signal })
      .then(
        () => (state.isOver = true),
        (error: unknown) => (state.error = error),
      );
    return {
      end: () => resolve(),
      fail: reject,
      becomeReady: () => ready.resolve(),
      state,
      waited,
    };
  };
  return { clock, onError, detachedChunks, begin, stop: () => stopping.abort() };
}

/** Lets promises that are settled be heard of. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('work is waited for until it is done', async () => {
  const { begin, clock, detachedChunks } = setUp();
  const work = begin();
  clock.advance(999);
  await turn();
  expect(work.state.isOver).toBe(false);

  work.end();
  await work.waited;

  expect(work.state.isOver).toBe(true);
  await detachedChunks.drain();
});

test('work that takes long is left behind, and seen through by who drains', async () => {
  const { begin, clock, detachedChunks } = setUp();
  const work = begin();
  clock.advance(1_000);
  await work.waited;
  let isDrained = false;
  const drained = detachedChunks.drain().then(() => (isDrained = true));
  await turn();
  expect(isDrained).toBe(false);

  work.end();

  await drained;
});

test('a failure rejects for the caller that waits, and goes to onError after detaching', async () => {
  const { begin, clock, onError, detachedChunks } = setUp();
  const quick = begin();
  const slow = begin();
  quick.fail(new Error('quick'));
  await quick.waited;
  expect(quick.state.error).toEqual(new Error('quick'));

  clock.advance(1_000);
  await slow.waited;
  slow.fail(new Error('slow'));
  await detachedChunks.drain();

  expect(slow.state).toEqual({ isOver: true, error: undefined });
  expect(onError.mock.calls).toEqual([[new Error('slow')]]);
});

test('an abort reports no error: ending early was requested', async () => {
  const { begin, clock, onError, detachedChunks, stop } = setUp();
  const work = begin();
  clock.advance(1_000);
  await work.waited;

  stop();
  work.fail(new Error('stopped'));
  await detachedChunks.drain();

  expect(onError).not.toHaveBeenCalled();
});

test('work that is not ready for it is waited for, however long it takes', async () => {
  const { begin, clock, detachedChunks } = setUp();
  const [first, second] = [begin({ isReady: false }), begin({ isReady: false })];
  clock.advance(60_000);
  await turn();
  expect([first.state.isOver, second.state.isOver]).toEqual([false, false]);

  first.becomeReady();
  second.end();
  await Promise.all([first.waited, second.waited]);

  expect([first.state.isOver, second.state.isOver]).toEqual([true, true]);
  first.end();
  await detachedChunks.drain();
});

test('at the limit of detached work, the next is awaited until it is done or another has ended', async () => {
  const { begin, clock, detachedChunks } = setUp({ max: 1 });
  const [first, second, third] = [begin(), begin(), begin()];
  clock.advance(60_000);
  await first.waited;
  await turn();
  expect([second.state.isOver, third.state.isOver]).toEqual([false, false]);

  second.end();
  await second.waited;
  await turn();
  expect(third.state.isOver).toBe(false);
  first.end();
  await third.waited;

  expect(third.state.isOver).toBe(true);
  third.end();
  await detachedChunks.drain();
});

test('one owner never has all places: the work of another is left behind all the same', async () => {
  const { begin, clock, detachedChunks } = setUp({ max: 3, ownedMax: 2 });
  const own = [begin(), begin(), begin()];
  const other = begin({ owner: 'b' });
  clock.advance(1_000);
  await other.waited;
  await turn();

  expect(own.map(({ state }) => state.isOver)).toEqual([true, true, false]);
  own[0]?.end();
  await own[2]?.waited;
  for (const work of [...own, other]) work.end();
  await detachedChunks.drain();
});
