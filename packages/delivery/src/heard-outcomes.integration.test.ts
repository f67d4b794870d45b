import { afterAll, expect, test } from '@jest/globals';
import {
  connectTestDatabase,
  createSendingApplication,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { readChanges, readUserChangesTopic, SHARDS } from '@tidings/user-changes/changes';
import { appendRecipients } from './append-recipients.ts';
import { settleDeliveries } from './change-states.ts';
import { claimChunk } from './claims.ts';
import { applyDeliveryUpdates } from './delivery-updates.ts';
import { markSending } from './mark-sending.ts';
import { nodeSend, recipientsOf } from './testing/node-sends.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

/** A message of a node that is being sent, and the outcomes of it that automations are told. */
async function sending(heard: readonly string[]) {
  const { applicationId } = await createSendingApplication(db);
  const [customUserId = ''] = someIds(1);
  await registerUsers(db, applicationId, [customUserId]);
  const send = nodeSend({ applicationId, heard, recipients: recipientsOf([customUserId]) });
  const { deliveries, chunks } = await db.transaction((sql) => appendRecipients(sql, [send]));
  const [{ campaignId, deliveryId } = { campaignId: '', deliveryId: '' }] = deliveries.flat();
  const [delivery] = await claimChunk(db, {
    campaignId,
    chunkNo: chunks[0]?.chunkNo ?? 0,
    owner: 'test',
    leaseMs: 30_000,
    rowsMax: 10,
  });
  if (delivery === undefined) throw new Error('nothing to send');
  await markSending(db, [delivery], 30_000);
  const settle = (state: 'sent' | 'failed' | 'unknown') =>
    settleDeliveries(
      db,
      ['sending'],
      [
        {
          deliveryId,
          fence: delivery.fence,
          state,
          outcome: state === 'failed' ? 'permanent' : state,
          isHeard: heard.length > 0,
        },
      ],
    );
  const told = async () => {
    const { topicId } = await readUserChangesTopic(db.sql);
    const milestones: string[] = [];
    for (let shard = 0; shard < SHARDS; shard += 1) {
      const { changes } = await readChanges(db.sql, { topicId, shard, from: 0n, max: 1_000_000 });
      for (const { change } of changes)
        if (change?.kind === 'outcome' && change.deliveryId === deliveryId)
          milestones.push(`${change.campaignId === campaignId} ${change.milestone}`);
    }
    return milestones;
  };
  return { deliveryId, settle, told };
}

test.each([
  { heard: ['sent'], told: ['true sent'] },
  { heard: ['failed'], told: [] },
  { heard: [], told: [] },
])('a recorded send is told to those who wait for $heard', async ({ heard, told }) => {
  const message = await sending(heard);
  await message.settle('sent');
  expect(await message.told()).toEqual(told);
});

test.each([
  { state: 'failed' as const, told: ['true failed'] },
  { state: 'unknown' as const, told: [] },
])('of an attempt that ends $state, $told is told', async ({ state, told }) => {
  const message = await sending(['failed']);
  await message.settle(state);
  expect(await message.told()).toEqual(told);
});

test('what a provider or a person reports later is told, also if it implies what was not reported', async () => {
  const message = await sending(['delivered']);
  await message.settle('sent');
  expect(await message.told()).toEqual([]);

  await applyDeliveryUpdates(db, [{ deliveryId: message.deliveryId, outcome: 'opened' }]);
  expect(await message.told()).toEqual(['true opened']);

  // The report of the delivery comes late: segments may ask for its time.
  const late = { deliveryId: message.deliveryId, outcome: 'delivered' } as const;
  await applyDeliveryUpdates(db, [late]);
  expect(await message.told()).toEqual(['true opened', 'true opened']);

  await applyDeliveryUpdates(db, [late]);
  expect(await message.told()).toHaveLength(2);
});

test('an open that is reported after the click is announced, though the state stays', async () => {
  const message = await sending(['opened']);
  await message.settle('sent');

  await applyDeliveryUpdates(db, [{ deliveryId: message.deliveryId, outcome: 'clicked' }]);
  await applyDeliveryUpdates(db, [{ deliveryId: message.deliveryId, outcome: 'opened' }]);

  expect(await message.told()).toEqual(['true clicked', 'true clicked']);
});

test('a change that is rolled back is not told', async () => {
  const message = await sending(['clicked']);
  await message.settle('sent');
  const failing = {
    ...db,
    transaction: <T>(work: Parameters<typeof db.transaction<T>>[0]) =>
      db.transaction<T>(async (sql) => {
        await work(sql);
        throw new Error('killed');
      }),
  };
  const click = { deliveryId: message.deliveryId, outcome: 'clicked' } as const;
  await expect(applyDeliveryUpdates(failing, [click])).rejects.toThrow('killed');
  expect(await message.told()).toEqual([]);

  await applyDeliveryUpdates(db, [click]);
  expect(await message.told()).toEqual(['true clicked']);
});
