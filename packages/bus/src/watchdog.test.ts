import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createFakeClock, createRecordingLogger } from '@tidings/testing';
import {
  createWatchdog,
  type CallResult,
  type ClientWatch,
  type WatchedClient,
} from './watchdog.ts';

/** A watchdog with a clock, and a broker that new clients reach or not. */
function watched() {
  const clock = createFakeClock();
  const { logger, lines } = createRecordingLogger();
  const checks: (string | undefined)[] = [];
  const broker = { isReachable: true };
  let hold: Promise<void> = Promise.resolve();
  let ended = 0;
  const watchdog = createWatchdog({
    logger,
    async checkFreshClient(topic) {
      checks.push(topic);
      await hold;
      if (!broker.isReachable) throw new Error('nothing answers');
    },
    onWedged: () => void (ended += 1),
    now: () => clock.monotonicMs(),
  });
  const watches: Record<WatchedClient, ClientWatch> = {
    producer: watchdog.watch('producer'),
    admin: watchdog.watch('admin'),
  };

  /** One call that takes a second. */
  async function call(result: CallResult, client: WatchedClient = 'producer'): Promise<void> {
    const end = watches[client].begin('ingest');
    clock.advance(1_000);
    end(result);
    await turn();
  }
  return {
    broker,
    checks,
    lines,
    clock,
    call,
    stop: () => watchdog.stop(),
    ended: () => ended,
    watches,
    /** Checks take until the returned function is called. */
    holdChecks() {
      const held = Promise.withResolvers<void>();
      hold = held.promise;
      return held.resolve;
    },
    /** One call per second for the given number of seconds. */
    async fail(seconds: number, client: WatchedClient = 'producer') {
      for (let second = 0; second < seconds; second += 1) await call('failed', client);
    },
  };
}

test.each<readonly [string, number, (run: ReturnType<typeof watched>) => Promise<void>]>([
  [
    'a producer that fails for 60 s while a fresh client reaches the broker',
    1,
    (run) => run.fail(61),
  ],
  ['an admin client that does', 1, (run) => run.fail(61, 'admin')],
  ['one that fails for less than 60 s', 0, (run) => run.fail(59)],
  [
    'one that fails for an hour while no fresh client reaches the broker',
    0,
    async (run) => {
      run.broker.isReachable = false;
      await run.fail(3_600);
    },
  ],
  [
    'one that has failed for an hour, 20 s after the broker is back',
    0,
    async (run) => {
      run.broker.isReachable = false;
      await run.fail(3_600);
      run.broker.isReachable = true;
      await run.fail(20);
    },
  ],
  [
    'one that has failed for an hour, 35 s after the broker is back',
    1,
    async (run) => {
      run.broker.isReachable = false;
      await run.fail(3_600);
      run.broker.isReachable = true;
      await run.fail(35);
    },
  ],
  [
    'one whose broker comes and goes: fresh clients reach it for 20 s of each 30',
    0,
    async (run) => {
      for (let round = 0; round < 20; round += 1) {
        run.broker.isReachable = round % 3 !== 0;
        await run.fail(10);
      }
    },
  ],
  [
    'one that is answered once in 50 s',
    0,
    async (run) => {
      for (let round = 0; round < 10; round += 1) {
        await run.fail(49);
        await run.call('answered');
      }
    },
  ],
  [
    'two clients, each of which fails while the other is answered',
    0,
    async (run) => {
      for (let round = 0; round < 10; round += 1) {
        await run.fail(20, 'producer');
        await run.call('answered', 'producer');
        await run.fail(20, 'admin');
        await run.call('answered', 'admin');
      }
    },
  ],
  [
    'one that fails once an hour',
    0,
    async (run) => {
      for (let hour = 0; hour < 5; hour += 1) {
        await run.call('failed');
        run.clock.advance(3_600_000);
      }
    },
  ],
  [
    'one that is stopped meanwhile',
    0,
    async (run) => {
      await run.fail(40);
      run.stop();
      await run.fail(100);
    },
  ],
])('%s: the process must end %d times', async (_case, times, failing) => {
  const run = watched();

  await failing(run);

  expect(run.ended()).toBe(times);
});

test('the process must end once, and an error line gives the reason', async () => {
  const run = watched();

  await run.fail(300);

  expect(run.ended()).toBe(1);
  const errors = run.lines.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject([
    { client: 'producer', topic: 'ingest', failingMs: expect.any(Number) },
  ]);
  expect(errors[0]?.['failingMs']).toBeGreaterThanOrEqual(60_000);
  expect(errors[0]?.['failingMs']).toBeLessThanOrEqual(70_000);
});

test('no fresh client is made in the first 30 s, then one every 5 s at most', async () => {
  const run = watched();
  run.broker.isReachable = false;

  await run.fail(29);
  const early = run.checks.length;
  await run.fail(60);

  expect(early).toBe(0);
  expect(run.checks).toHaveLength(12);
});

test('one new client exists at a time, also if two clients fail and a check takes long', async () => {
  const run = watched();
  const release = run.holdChecks();

  await run.fail(60, 'producer');
  await run.fail(60, 'admin');

  expect(run.checks).toHaveLength(1);
  release();
});

test('a client that is answered while a fresh one is asked is not wedged', async () => {
  const run = watched();
  await run.fail(59);
  const release = run.holdChecks();
  run.clock.advance(5_000);

  await run.call('failed');
  await run.call('answered');
  release();
  await turn();

  expect(run.checks.length).toBeGreaterThan(1);
  expect(run.ended()).toBe(0);
});
