import { expect, test } from '@jest/globals';
import { randomFrom } from '@tidings/testing';
import { createBatches, lastProfileUpdates, type SentBatch } from './batches.ts';

const PEOPLE = { applications: 2, users: 10, prefix: 'test' };

function batchesOf(seed: number, count = 2_000): SentBatch[] {
  const { next } = createBatches({ random: randomFrom(seed), ...PEOPLE });
  return Array.from({ length: count }, next);
}

test('a seed always gives the same batches, another seed different ones', () => {
  expect(JSON.stringify(batchesOf(1))).toBe(JSON.stringify(batchesOf(1)));
  expect(JSON.stringify(batchesOf(1))).not.toBe(JSON.stringify(batchesOf(2)));
});

test('batches contain every case that the oracles check', () => {
  const batches = batchesOf(1);
  const messages = batches.flatMap((batch) =>
    batch.messages.map((message) => ({ batch, message })),
  );
  const repeats = (keys: readonly string[]): number => keys.length - new Set(keys).size;

  expect(new Set(messages.map(({ message }) => message.type))).toEqual(
    new Set(['action', 'revenue', 'businessEvent', 'user']),
  );
  expect(new Set(batches.map(({ messages: { length } }) => length)).size).toBeGreaterThan(15);
  expect(new Set(batches.map(({ application }) => application)).size).toBe(2);
  expect(
    new Set(
      batches.map(
        ({ customUserId, serviceUserId }) =>
          `${customUserId !== undefined} ${serviceUserId !== undefined}`,
      ),
    ).size,
  ).toBe(4);
  expect(repeats(messages.map(({ message }) => message.id))).toBeGreaterThan(50);
  expect(
    repeats(
      messages
        .filter(
          ({ batch, message }) => batch.serviceUserId !== undefined && message.type !== 'user',
        )
        .map(({ batch, message }) => `${batch.serviceUserId} ${message.time}`),
    ),
  ).toBeGreaterThan(50);
  expect(repeats(batches.map((batch) => JSON.stringify(batch)))).toBeGreaterThan(20);
});

test('a serviceUserId belongs to one user, since conflicts would be resolved at random', () => {
  const owners = new Map<string, Set<string>>();
  for (const { application, customUserId, serviceUserId } of [
    ...batchesOf(1),
    ...lastProfileUpdates(PEOPLE),
  ]) {
    if (customUserId === undefined || serviceUserId === undefined) continue;
    owners.set(
      serviceUserId,
      (owners.get(serviceUserId) ?? new Set()).add(`${application} ${customUserId}`),
    );
  }

  expect(owners.size).toBe(40);
  expect([...owners.values()].filter(({ size }) => size !== 1)).toEqual([]);
});
