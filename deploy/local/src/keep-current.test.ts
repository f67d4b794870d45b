import { expect, test } from '@jest/globals';
import { keepCurrent } from './keep-current.ts';

/** A process that is started and ended by the test. */
function rig(changes: readonly (string | undefined)[], endings: readonly (string | null)[] = []) {
  const steps: string[] = [];
  const queue = [...changes];
  const ends = [...endings];
  const done = keepCurrent({
    name: 'gateway',
    ended: () => {
      const how = ends.shift() ?? null;
      return how === null ? new Promise(() => undefined) : Promise.resolve(how);
    },
    end: async () => void steps.push('end'),
    start: async () => void steps.push('start'),
    changed: async () => {
      // Later than an ending, which the test wants first.
      await new Promise((resolve) => setImmediate(resolve));
      return queue.shift();
    },
    logFile: 'gateway.log',
    onLine: (line) => steps.push(line),
  });
  return { steps, done };
}

test('each change drains the process and starts the next one', async () => {
  const { steps, done } = rig(['a.ts', 'b.sql']);

  await done;

  expect(steps).toEqual([
    'a.ts changed: restarting gateway',
    'end',
    'start',
    'b.sql changed: restarting gateway',
    'end',
    'start',
  ]);
});

test('a process that ended by itself waits for a change, and a line says where its log is', async () => {
  const { steps, done } = rig(['a.ts'], ['exit code 1']);

  await done;

  expect(steps).toEqual([
    'gateway exited (exit code 1); it restarts when a source changes. Log: gateway.log',
    'a.ts changed: restarting gateway',
    'end',
    'start',
  ]);
});
