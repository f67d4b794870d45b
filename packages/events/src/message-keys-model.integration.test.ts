import { afterAll, expect, test } from '@jest/globals';
import type { ReceiptReason } from '@tidings/contracts/ingest/ingest';
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
import { claimAsPreviousVersion } from './testing/previous-version.ts';

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
/** During an upgrade or after a rollback, the previous version writes message_keys. */
const writer = fc.record({
  keyType: fc.constantFrom('server', 'client'),
  isPrevious: fc.boolean(),
});
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

      expectReasons(sent.flat(), decided, onePass(sent.flat(), []));
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
        expectReasons(
          one,
          await claim(one),
          one.flatMap((item) => onePass([item], keptFlat)),
        );
    }),
    { numRuns: 25, seed: 20_260_101 },
  );
}, 120_000);

/**
 * The specification without keys: a message is a duplicate if an earlier kept one has its id in the
 * same namespace, or its user and time.
 */
function onePass(
  messages: readonly Message[],
  before: readonly Message[],
): (ReceiptReason | null)[] {
  const kept = [...before];
  return messages.map((item) => {
    if (kept.some(({ id, by }) => id === item.id && by.keyType === item.by.keyType))
      return 'duplicate_id';
    if (
      item.user !== null &&
      kept.some(({ user, time }) => user === item.user && time === item.time)
    )
      return 'duplicate_user_time';
    kept.push(item);
    return null;
  });
}

/**
 * The previous version may name the other rule: of a message that lost both keys within its batch,
 * it is not shown who holds the id.
 */
function expectReasons(
  messages: readonly Message[],
  reasons: readonly (ReceiptReason | null)[],
  expected: readonly (ReceiptReason | null)[],
): void {
  const comparable = (list: typeof reasons) =>
    list.map((reason, index) => (messages[index]?.by.isPrevious ? reason !== null : reason));

  expect(comparable(reasons)).toEqual(comparable(expected));
}

/** Claims for the messages of one request, in a separate application. */
async function newClaimer(): Promise<
  (batch: readonly Message[]) => Promise<(ReceiptReason | null)[]>
> {
  const { applicationId } = await createTestApplication(db);
  return (sent) => {
    const { keyType = 'server', isPrevious = false } = sent[0]?.by ?? {};
    const record = ingestRecord({
      applicationId,
      keyType,
      messages: sent.map(({ id, time }) => actionMessage({ id: `m${id}`, time })),
    });
    const claims = sent.map(({ user }, index): KeyClaim => ({
      record,
      index,
      serviceUserId: user === null ? null : (USERS[user] ?? null),
    }));
    const claim = isPrevious ? claimAsPreviousVersion : claimMessageKeys;
    return transactUntilDone(db, (sql) => claim(sql, claims));
  };
}
