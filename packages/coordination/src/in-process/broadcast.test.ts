import { expect, test } from '@jest/globals';
import { createInProcessBroadcast } from './broadcast.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a notice reaches every subscriber, once, after the publisher’s turn', async () => {
  const broadcast = createInProcessBroadcast<string>();
  const seen: string[] = [];
  broadcast.subscribe((notice) => seen.push(`one ${notice}`));
  broadcast.subscribe((notice) => seen.push(`other ${notice}`));

  await broadcast.publish('a');
  await broadcast.publish('b');
  expect(seen).toEqual([]);
  await turn();

  expect(seen).toEqual(['one a', 'other a', 'one b', 'other b']);
});

test('an ended subscription gets nothing more, not even what was published before', async () => {
  const broadcast = createInProcessBroadcast<string>();
  const seen: string[] = [];
  const unsubscribe = broadcast.subscribe((notice) => seen.push(`one ${notice}`));
  broadcast.subscribe((notice) => seen.push(`other ${notice}`));

  await broadcast.publish('a');
  unsubscribe();
  await turn();

  expect(seen).toEqual(['other a']);
});

test('a subscriber may publish and subscribe', async () => {
  const broadcast = createInProcessBroadcast<number>();
  const seen: (number | null)[] = [];
  broadcast.subscribe((notice) => {
    seen.push(notice);
    if (notice !== null && notice < 3) void broadcast.publish(notice + 1);
  });

  await broadcast.publish(1);
  for (let turns = 0; turns < 4; turns += 1) await turn();

  expect(seen).toEqual([1, 2, 3]);
});
