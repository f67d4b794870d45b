import { expect, test } from '@jest/globals';
import { withinLoopTime } from './loop-timeout.ts';

/** Blocks the process, like a long garbage collection. */
function pause(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('work that is done in time gives its value, or its own error', async () => {
  await expect(withinLoopTime(Promise.resolve('value'), 60_000)).resolves.toBe('value');
  await expect(withinLoopTime(Promise.reject(new Error('its own')), 60_000)).rejects.toThrow(
    'its own',
  );
});

test('work that never ends is abandoned', async () => {
  await expect(withinLoopTime(new Promise(() => undefined), 20)).rejects.toThrow(
    'no answer within 20 ms',
  );
});

test('a pause of the process itself is not silence of the other side', async () => {
  let answer = (_value: string): void => undefined;
  const work = withinLoopTime(
    new Promise<string>((resolve) => {
      answer = resolve;
    }),
    100,
  );

  pause(300);
  // Like a response that arrived meanwhile and is read in the next turn.
  setImmediate(() => answer('late'));

  await expect(work).resolves.toBe('late');
});
