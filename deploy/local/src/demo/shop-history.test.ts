import { expect, test } from '@jest/globals';
import { buildShopHistory } from './shop-history.ts';

const NOW = Date.parse('2026-11-30T10:00Z');
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const people = buildShopHistory(NOW);
const all = people.flatMap(({ messages }) => messages);
const namesOf = (messages: (typeof people)[number]['messages']): readonly unknown[] =>
  messages.map(({ customName }) => customName);

test('is small, the same each time, and each message has an id of its own', () => {
  expect(people.length).toBeGreaterThan(80);
  expect(all.length).toBeLessThan(2_500);
  expect(buildShopHistory(NOW)).toEqual(people);
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(people.every(({ messages }) => messages.length < 1_000)).toBe(true);
});

test('lies in the last twelve weeks, and is too old for the automation about carts', () => {
  for (const { time } of all) {
    expect(time).toBeGreaterThanOrEqual(NOW - 84 * DAY_MS);
    expect(time).toBeLessThanOrEqual(NOW - 2 * HOUR_MS);
  }
});

test('fills each page of analytics', () => {
  const signedUp = all.filter(({ customName }) => customName === 'signed_up');
  const weeks = new Set(signedUp.map(({ time }) => Math.floor((NOW - time) / (7 * DAY_MS))));
  const stages = ['item_viewed', 'cart_filled', 'order_paid'].map(
    (name) => people.filter(({ messages }) => namesOf(messages).includes(name)).length,
  );
  const back = people.filter(({ messages }) => {
    const first = messages.find(({ customName }) => customName === 'signed_up')?.time ?? NOW;
    return messages.some(({ time }) => time > first + 14 * DAY_MS);
  });

  expect(weeks.size).toBe(12);
  expect(stages).toEqual(stages.toSorted((one, other) => other - one));
  expect(stages[2]).toBeGreaterThan(10);
  expect(back.length).toBeGreaterThan(15);
});
