import { afterAll, expect, test } from '@jest/globals';
import type { ReceiptReason } from '@tidings/contracts';
import { systemIds } from '@tidings/platform';
import { actionMessage, connectTestDatabase, createTestApplication, ingestRecord, transactUntilDone } from '@tidings/testing';
import fc from 'fast-check';
import { claimMessageKeys, type KeyClaim } from './message-keys.ts';

const db = connectTestDatabase({ poolMax: 20 });
afterAll(() => db.close());

const USERS = [systemIds.uuid(), systemIds.uuid()];

/** Few ids, users and times, drawn apart: a message may lose its id to one message and its time to another. */
const message = fc.record({ id: fc.nat(12), user: fc.option(fc.nat(USERS.length - 1)), time: fc.nat(5) });
type Message = typeof message extends fc.Arbitrary<infer T> ? T : never;
const batches = fc.array(fc.array(message, { minLength: 1, maxLength: 6 }), { minLength: 2, maxLength: 10 });

test('batches one after the other are decided as one pass over all messages decides them', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (sent) => {
      const claim = await newClaimer();
      const decided: (ReceiptReason | null)[] = [];
      for (const batch of sent) decided.push(...(await claim(batch)));

      expect(decided).toEqual(onePass(sent.flat(), []));
    }),
    { numRuns: 40, seed: 20_260_101 },
  );
}, 60_000);

test('batches at the same time are each decided as one pass over it decides it, beside what the others kept', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (sent) => {
      const claim = await newClaimer();
      const decided = await Promise.all(sent.map(async (batch) => ({ batch, reasons: await claim(batch) })));
      const kept = decided.map(({ batch, reasons }) => batch.filter((_, index) => reasons[index] === null));

      for (const [position, { batch, reasons }] of decided.entries()) {
        const others = kept.filter((_, other) => other !== position).flat();
        // The reason may be of the moment: of two keys that a message lost, one may have been taken later.
        expect(reasons.map((reason) => reason === null)).toEqual(onePass(batch, others).map((reason) => reason === null));
      }
      // And nothing is left over: whoever comes now loses to those that were kept.
      const keptFlat = kept.flat();
      for (const batch of sent) expect(await claim(batch)).toEqual(batch.map((item) => onePass([item], keptFlat)[0]));
    }),
    { numRuns: 25, seed: 20_260_101 },
  );
}, 120_000);

/** The rules, said without keys: a message is kept unless one that was kept before has its id, or its user and time. */
function onePass(messages: readonly Message[], before: readonly Message[]): (ReceiptReason | null)[] {
  const kept = [...before];
  return messages.map((item) => {
    if (kept.some(({ id }) => id === item.id)) return 'duplicate_id';
    if (item.user !== null && kept.some(({ user, time }) => user === item.user && time === item.time)) return 'duplicate_user_time';
    kept.push(item);
    return null;
  });
}

/** Claims for the messages of one request, in an application of its own. */
async function newClaimer(): Promise<(batch: readonly Message[]) => Promise<(ReceiptReason | null)[]>> {
  const { applicationId } = await createTestApplication(db);
  return (batch) => {
    const record = ingestRecord({ applicationId, messages: batch.map(({ id, time }) => actionMessage({ id: `m${id}`, time })) });
    const claims = batch.map(({ user }, index): KeyClaim => ({ record, index, serviceUserId: user === null ? null : (USERS[user] ?? null) }));
    return transactUntilDone(db, (sql) => claimMessageKeys(sql, claims));
  };
}
