import { expect, test } from '@jest/globals';
import { createShared } from './shared.ts';

function counting() {
  const closed: number[] = [];
  let opened = 0;
  return {
    closed,
    value: { open: () => (opened += 1), close: (value: number) => void closed.push(value) },
  };
}

test('users of one key share its value; the last of them closes it', async () => {
  const shared = createShared();
  const { closed, value } = counting();
  const [one, other] = [shared.use('a', value), shared.use('a', value)];
  expect([one.value, other.value]).toEqual([1, 1]);

  await one.release();
  await one.release();
  expect(closed).toEqual([]);
  await other.release();

  expect(closed).toEqual([1]);
});

test('other keys have other values, and a closed value is opened anew', async () => {
  const shared = createShared();
  const { closed, value } = counting();
  const first = shared.use('a', value);

  expect(shared.use('b', value).value).toBe(2);
  await first.release();
  expect(shared.use('a', value).value).toBe(3);

  expect(closed).toEqual([1]);
});
