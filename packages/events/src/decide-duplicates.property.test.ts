import { test } from '@jest/globals';
import type { ReceiptReason } from '@tidings/contracts/ingest/ingest';
import { propertyRuns } from '@tidings/testing';
import fc from 'fast-check';
import assert from 'node:assert/strict';
import { decideDuplicates, type WantedKeys as Keys } from './decide-duplicates.ts';

type WantedKeys = Keys & { readonly ref: string };

/**
 * Few ids and times, drawn independently: a message may lose its id to one message and its time to
 * another.
 */
const message = fc.record({
  application: fc.nat(1),
  id: fc.nat(5),
  userTime: fc.option(fc.nat(5)),
  beginsBatch: fc.boolean(),
});
type Message = typeof message extends fc.Arbitrary<infer T> ? T : never;

test('deciding batch by batch gives the same result as one pass over all messages, also when repeated', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 14 }), (messages) => {
      const store = newStore();
      const batches = inBatches(messages.map((item, index) => ({ ...item, ref: `r:${index}` })));

      const decided = batches.flatMap((batch) => store.claim(batch.map(toKeys)));
      const again = batches.flatMap((batch) => store.claim(batch.map(toKeys)));

      // `assert` instead of `expect`: a million matcher calls would dominate the run time.
      assert.equal(decided.join(), onePass(messages).join());
      assert.equal(
        again.map((reason) => reason === null).join(),
        decided.map((reason) => reason === null).join(),
      );
      assert.equal(store.count(), decided.filter((reason) => reason === null).length);
    }),
    propertyRuns(1000),
  );
}, 3_600_000);

/**
 * The specification without keys: a message is a duplicate if an earlier kept one has its id, or
 * its user and time.
 */
function onePass(messages: readonly Message[]): (ReceiptReason | null)[] {
  const kept: Message[] = [];
  return messages.map((item) => {
    const rivals = kept.filter(({ application }) => application === item.application);
    if (rivals.some(({ id }) => id === item.id)) return 'duplicate_id';
    if (item.userTime !== null && rivals.some(({ userTime }) => userTime === item.userTime))
      return 'duplicate_user_time';
    kept.push(item);
    return null;
  });
}

/** Simulates the key table with its two unique constraints. */
function newStore() {
  const byId = new Map<string, string>();
  const byUserTime = new Map<string, string>();
  const insert = ({ ref, byId: id, byUserTime: userTime }: WantedKeys): void => {
    if (byId.has(id) || (userTime !== null && byUserTime.has(userTime)))
      throw new Error('a unique key is violated');
    byId.set(id, ref);
    if (userTime !== null) byUserTime.set(userTime, ref);
  };
  return {
    claim(batch: readonly WantedKeys[]): (ReceiptReason | null)[] {
      const own = new Set(
        batch.filter(({ ref, byId: id }) => byId.get(id) === ref).map(({ ref }) => ref),
      );
      const others = (keys: ReadonlyMap<string, string>): Set<string> =>
        new Set([...keys].filter(([, ref]) => !own.has(ref)).map(([key]) => key));
      const reasons = decideDuplicates(batch, {
        byId: others(byId),
        byUserTime: others(byUserTime),
      });
      for (const [index, keys] of batch.entries())
        if (reasons[index] === null && !own.has(keys.ref)) insert(keys);
      return reasons;
    },
    count: () => byId.size,
  };
}

function toKeys({
  ref,
  application,
  id,
  userTime,
}: Message & { readonly ref: string }): WantedKeys {
  return {
    ref,
    byId: `${application}:${id}`,
    byUserTime: userTime === null ? null : `${application}:${userTime}`,
  };
}

function inBatches<T extends Message>(messages: readonly T[]): T[][] {
  const batches: T[][] = [[]];
  for (const item of messages) {
    if (item.beginsBatch) batches.push([]);
    batches.at(-1)?.push(item);
  }
  return batches;
}
