import { afterEach, expect, test } from '@jest/globals';
import type { BusState } from '@tidings/partitioned-log/state';
import { createRecordingLogger } from '@tidings/testing';
import { BusRejectedError, BusUnavailableError, type Bus, type Consumer } from './bus.ts';
import { guardBus } from './guarded-bus.ts';
import { createMemoryBus } from './memory-bus.ts';

const buses: Bus[] = [];
afterEach(async () => {
  for (const bus of buses.splice(0)) await bus.disconnect();
});

/** A process that looks for a move only when it needs to, on a bus whose topics refuse records. */
async function createProcess(state: { current: BusState }) {
  const { logger } = createRecordingLogger();
  const memory = createMemoryBus();
  let moves = 0;
  const guarded = guardBus(
    {
      ...memory,
      producer: async () => ({
        ...(await memory.producer()),
        produce: () => Promise.reject(new BusRejectedError('the record is too large')),
      }),
    },
    {
      own: 'kafka',
      read: () => Promise.resolve(state.current),
      logger,
      onMoved: () => void (moves += 1),
      intervalMs: 3_600_000,
    },
  );
  buses.push(guarded);
  const producer = await guarded.producer();
  return {
    produce: () => producer.produce('topic', [{ key: 'k', value: 'v' }]),
    moves: () => moves,
  };
}

test('a rejection stays one while the installation takes records', async () => {
  const process = await createProcess({ current: { bus: 'kafka', isAccepting: true } });

  await expect(process.produce()).rejects.toBeInstanceOf(BusRejectedError);
});

test.each<[string, BusState, number]>([
  ['during a move', { bus: 'kafka', isAccepting: false }, 0],
  ['after a move', { bus: 'postgres', isAccepting: true }, 1],
])('a closed topic is no rejection %s', async (_when, later, moves) => {
  const state: { current: BusState } = { current: { bus: 'kafka', isAccepting: true } };
  const process = await createProcess(state);
  await expect(process.produce()).rejects.toBeInstanceOf(BusRejectedError);

  state.current = later;

  await expect(process.produce()).rejects.toBeInstanceOf(BusUnavailableError);
  expect(process.moves()).toBe(moves);
});

test('a consumer waits while Postgres is unavailable, and fails by any other error', async () => {
  const unavailable = new Error('timeout exceeded when trying to connect');
  const consumer: Consumer = { stop: () => Promise.resolve(), isAlive: () => true };
  const answers: (BusState | Error)[] = [
    unavailable, // Of the guard's own look.
    unavailable,
    Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    { bus: 'kafka', isAccepting: true },
    new Error('no such column'),
  ];
  const guarded = guardBus(
    { ...createMemoryBus(), consume: () => Promise.resolve(consumer) },
    {
      own: 'kafka',
      read: () => {
        const answer = answers.shift();
        return answer instanceof Error || answer === undefined
          ? Promise.reject(answer)
          : Promise.resolve(answer);
      },
      logger: createRecordingLogger().logger,
      onMoved: () => undefined,
      intervalMs: 3_600_000,
    },
  );
  buses.push(guarded);
  const consume = () =>
    guarded.consume({ group: 'g', topics: ['t'], handleBatch: () => Promise.resolve() });

  expect(await consume()).toBe(consumer);
  await expect(consume()).rejects.toThrow('no such column');
});
