import { afterAll, expect, test } from '@jest/globals';
import { createMemoryBus, type Consumer, type MemoryBus } from '@tidings/bus';
import { dispatchTopic } from '@tidings/contracts';
import { listDeliveries, type NewCampaign } from '@tidings/db';
import { connectTestDatabase, createSendingCampaign, eventually } from '@tidings/testing';
import type { Channel, SendResult } from './channel.ts';
import { handlePointers } from './handle-pointers.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const TOPIC = dispatchTopic('EMAIL', 'express');
const GROUP = 'worker-email';

function consume(bus: MemoryBus, channel: Channel): Promise<Consumer> {
  const worker = testWorker(db, channel);
  return bus.consume({ group: GROUP, topics: [TOPIC], handleBatch: (batch) => handlePointers(worker, batch) });
}

async function announce(bus: MemoryBus, value: string): Promise<void> {
  const producer = await bus.producer();
  await producer.produce(TOPIC, [{ key: 'same partition', value }]);
}

const pointer = ({ campaignId }: NewCampaign): string => JSON.stringify({ campaignId, chunkNo: 0 });
const statesOf = async ({ campaignId }: NewCampaign) => (await listDeliveries(db, campaignId, { limit: 500 })).map(({ status }) => status);
const committed = async (bus: MemoryBus): Promise<bigint> => (await bus.admin.committedOffsets(GROUP, TOPIC)).values().next().value ?? 0n;

test('a pointer’s offset is committed when its chunk is done, and not before', async () => {
  const bus = createMemoryBus();
  const campaign = await createSendingCampaign(db, { count: 3 });
  const answers: ((result: SendResult) => void)[] = [];
  const consumer = await consume(bus, scriptedChannel(() => new Promise((resolve) => answers.push(resolve))));
  await announce(bus, pointer(campaign));
  await eventually(() => expect(answers).toHaveLength(3));

  answers[0]?.({ status: 'sent' });
  answers[1]?.({ status: 'sent' });
  await eventually(async () => expect((await statesOf(campaign)).filter((state) => state === 'sent')).toHaveLength(2));
  expect(await committed(bus)).toBe(0n);

  answers[2]?.({ status: 'sent' });
  await eventually(async () => expect(await committed(bus)).toBe(1n));
  expect(await statesOf(campaign)).toEqual(['sent', 'sent', 'sent']);
  await consumer.stop();
});

test('F15 a worker that stops in the middle of a chunk leaves its pointer to the next, which sends the rest, and nothing twice', async () => {
  const bus = createMemoryBus();
  const campaign = await createSendingCampaign(db, { count: 30 });
  const waiting: (() => void)[] = [];
  const slow = scriptedChannel(() => new Promise((resolve) => waiting.push(() => resolve({ status: 'sent' }))));
  const consumer = await consume(bus, slow);
  await announce(bus, pointer(campaign));
  await eventually(() => expect(waiting).toHaveLength(5));

  const stopped = consumer.stop();
  await eventually(async () => expect((await statesOf(campaign)).filter((state) => state === 'pending')).toHaveLength(25));
  for (const answer of waiting) answer();
  await stopped;
  expect(await committed(bus)).toBe(0n);
  const rest = scriptedChannel();
  const heir = await consume(bus, rest);

  await eventually(async () => expect(await committed(bus)).toBe(1n));
  expect(rest.calls).toHaveLength(25);
  expect(slow.calls).toHaveLength(5);
  expect(new Set([...slow.calls, ...rest.calls].map(({ deliveryId }) => deliveryId)).size).toBe(30);
  expect(await statesOf(campaign)).toEqual(Array.from({ length: 30 }, () => 'sent'));
  await heir.stop();
});

test('what is no pointer is passed over, and the next one is worked on', async () => {
  const bus = createMemoryBus();
  const campaign = await createSendingCampaign(db);
  const consumer = await consume(bus, scriptedChannel());

  const nonsense = ['', '{', 'null', '5', '[]', '{}', '{"campaignId":5,"chunkNo":0}', '{"campaignId":"x","chunkNo":0}', `{"campaignId":"${campaign.campaignId}"}`];
  const wrongChunks = ['-1', '0.5', '"0"', '99999999999'].map((chunkNo) => `{"campaignId":"${campaign.campaignId}","chunkNo":${chunkNo}}`);
  for (const value of [...nonsense, ...wrongChunks]) await announce(bus, value);
  await announce(bus, pointer(campaign));

  await eventually(async () => expect(await statesOf(campaign)).toEqual(['sent']));
  await eventually(async () => expect(await committed(bus)).toBe(BigInt(nonsense.length + wrongChunks.length + 1)));
  await consumer.stop();
});
