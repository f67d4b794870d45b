import { afterAll, expect, test } from '@jest/globals';
import type { ReceiptReason } from '@tidings/contracts';
import { systemIds } from '@tidings/platform';
import {
  actionMessage,
  connectTestDatabase,
  createTestApplication,
  ingestRecord,
  transactUntilDone,
} from '@tidings/testing';
import fc from 'fast-check';
import { claimMessageKeys, type KeyClaim } from './message-keys.ts';
import { claimAsOlderVersion } from './testing/claim-as-older-version.ts';

const db = connectTestDatabase({ poolMax: 20 });
afterAll(() => db.close());

const USERS = [systemIds.uuid(), systemIds.uuid()];

/**
 * Few ids, users and times, drawn independently: a message may lose its id to one message and its
 * time to another.
 */
const message = fc.record({
  id: fc.nat(12),
  user: fc.option(fc.nat(USERS.length - 1)),
  time: fc.nat(5),
});
/** A version without namespaces stores an id for both types of key; it may run beside this one. */
const writer = fc.constantFrom('server', 'client', 'older');
type Writer = typeof writer extends fc.Arbitrary<infer T> ? T : never;
type Message = typeof message extends fc.Arbitrary<infer T> ? T & { readonly by: Writer } : never;
const batch = fc
  .tuple(writer, fc.array(message, { minLength: 1, maxLength: 6 }))
  .map(([by, messages]) => messages.map((item): Message => ({ ...item, by })));
const batches = fc.array(batch, { minLength: 2, maxLength: 10 });

test('consecutive batches are decided like one pass over all messages', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (sent) => {
      const claim = await newClaimer();
      const decided: (ReceiptReason | null)[] = [];
      for (const one of sent) decided.push(...(await claim(one)));

      expect(decided).toEqual(onePass(sent.flat(), []));
    }),
    { numRuns: 40, seed: 20_260_101 },
  );
}, 60_000);

test('concurrent batches are each decided like one pass, given what the others kept', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (sent) => {
      const claim = await newClaimer();
      const decided = await Promise.all(
        sent.map(async (one) => ({ one, reasons: await claim(one) })),
      );
      const kept = decided.map(({ one, reasons }) =>
        one.filter((_, index) => reasons[index] === null),
      );

      for (const [position, { one, reasons }] of decided.entries()) {
        const others = kept.filter((_, other) => other !== position).flat();
        // The reason may vary: of two keys that a message lost, one may have been taken later.
        expect(reasons.map((reason) => reason === null)).toEqual(
          onePass(one, others).map((reason) => reason === null),
        );
      }
      // No key is left over: later messages lose to those that were kept.
      const keptFlat = kept.flat();
      for (const one of sent)
        expect(await claim(one)).toEqual(one.map((item) => onePass([item], keptFlat)[0]));
    }),
    { numRuns: 25, seed: 20_260_101 },
  );
}, 120_000);

/**
 * The specification without keys: a message is a duplicate if an earlier kept one has its id in the
 * same namespace, or its user and time. An older version gives no reason.
 */
function onePass(
  messages: readonly Message[],
  before: readonly Message[],
): (ReceiptReason | null)[] {
  const kept = [...before];
  return messages.map((item) => {
    if (kept.some(({ id, by }) => id === item.id && sharesIds(by, item.by))) return 'duplicate_id';
    if (
      item.user !== null &&
      kept.some(({ user, time }) => user === item.user && time === item.time)
    )
      return item.by === 'older' ? 'duplicate_id' : 'duplicate_user_time';
    kept.push(item);
    return null;
  });
}

function sharesIds(a: Writer, b: Writer): boolean {
  return a === b || a === 'older' || b === 'older';
}

/** Claims for the messages of one request, in a separate application. */
async function newClaimer(): Promise<
  (batch: readonly Message[]) => Promise<(ReceiptReason | null)[]>
> {
  const { applicationId } = await createTestApplication(db);
  return (sent) => {
    const by = sent[0]?.by ?? 'server';
    const record = ingestRecord({
      applicationId,
      keyType: by === 'older' ? 'server' : by,
      messages: sent.map(({ id, time }) => actionMessage({ id: `m${id}`, time })),
    });
    const claims = sent.map(({ user }, index): KeyClaim => ({
      record,
      index,
      serviceUserId: user === null ? null : (USERS[user] ?? null),
    }));
    if (by !== 'older') return transactUntilDone(db, (sql) => claimMessageKeys(sql, claims));
    return transactUntilDone(db, async (sql) =>
      (await claimAsOlderVersion(sql, claims)).map((isKept) => (isKept ? null : 'duplicate_id')),
    );
  };
}
