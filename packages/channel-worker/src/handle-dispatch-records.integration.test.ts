import { afterAll, expect, test } from '@jest/globals';
import { createMemoryBus, type Consumer, type MemoryBus } from '@tidings/bus';
import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import { dispatchTopic } from '@tidings/contracts/topics';
import type { NewCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { systemClock } from '@tidings/platform';
import {
  connectTestDatabase,
  createFakeClock,
  createSendingCampaign,
  eventually,
} from '@tidings/testing';
import type { Channel, SendResult } from './channel.ts';
import { handleDispatchRecords } from './handle-dispatch-records.ts';
import { createDetachedChunks } from './detached-chunks.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker, type TestWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const TOPIC = dispatchTopic('EMAIL', 'express');
const BULK_TOPIC = dispatchTopic('EMAIL', 'bulk');
const GROUP = 'worker-email';

function consume(
  bus: MemoryBus,
  channel: Channel,
  options: Parameters<typeof testWorker>[2] = {},
): Promise<Consumer> {
  return consumeBy(bus, testWorker(db, channel, options));
}

function consumeBy(bus: MemoryBus, worker: TestWorker): Promise<Consumer> {
  return bus.consume({
    group: GROUP,
    topics: [TOPIC, BULK_TOPIC],
    partitionsConcurrently: 6,
    handleBatch: (batch) =>
      handleDispatchRecords(worker, batch, batch.topic === TOPIC ? 'express' : 'bulk'),
  });
}

async function announce(bus: MemoryBus, ...values: readonly string[]): Promise<void> {
  const producer = await bus.producer();
  await producer.produce(
    TOPIC,
    values.map((value) => ({ key: 'same partition', value })),
  );
}

/** All chunks of a campaign, in the bulk lane. */
async function announceBulk(bus: MemoryBus, campaign: NewCampaign): Promise<void> {
  const producer = await bus.producer();
  const chunkNos = Array.from(
    { length: Math.ceil(campaign.recipients.length / CHUNK_ROWS_MAX) },
    (_, chunkNo) => chunkNo,
  );
  await producer.produce(
    BULK_TOPIC,
    chunkNos.map((chunkNo) => ({ key: `${chunkNo}`, value: chunkOf(campaign, chunkNo) })),
  );
}

const chunkOf = ({ campaignId }: NewCampaign, chunkNo = 0): string =>
  JSON.stringify({ campaignId, chunkNo });
const statesOf = async ({ campaignId }: NewCampaign) =>
  (await listDeliveries(db, campaignId, { limit: 500 })).map(({ status }) => status);
const committed = async (bus: MemoryBus): Promise<bigint> =>
  (await bus.admin.committedOffsets(GROUP, TOPIC)).values().next().value ?? 0n;

test('an offset is committed when its chunk is finished, not before', async () => {
  const bus = createMemoryBus();
  const campaign = await createSendingCampaign(db, { count: 3 });
  const answers: ((result: SendResult) => void)[] = [];
  const consumer = await consume(
    bus,
    scriptedChannel(() => new Promise((resolve) => answers.push(resolve))),
  );
  await announce(bus, chunkOf(campaign));
  await eventually(() => expect(answers).toHaveLength(3));

  answers[0]?.({ status: 'sent' });
  answers[1]?.({ status: 'sent' });
  await eventually(async () =>
    expect((await statesOf(campaign)).filter((state) => state === 'sent')).toHaveLength(2),
  );
  expect(await committed(bus)).toBe(0n);

  answers[2]?.({ status: 'sent' });
  await eventually(async () => expect(await committed(bus)).toBe(1n));
  expect(await statesOf(campaign)).toEqual(['sent', 'sent', 'sent']);
  await consumer.stop();
});

test('a worker that stops in the middle of a chunk leaves its record to the next, which sends the rest once', async () => {
  const bus = createMemoryBus();
  const campaign = await createSendingCampaign(db, { count: 30 });
  const waiting: (() => void)[] = [];
  const slow = scriptedChannel(
    () => new Promise((resolve) => waiting.push(() => resolve({ status: 'sent' }))),
  );
  const consumer = await consume(bus, slow);
  await announce(bus, chunkOf(campaign));
  await eventually(() => expect(waiting).toHaveLength(5));

  const stopped = consumer.stop();
  await eventually(async () =>
    expect((await statesOf(campaign)).filter((state) => state === 'pending')).toHaveLength(25),
  );
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

test('an invalid dispatch record is skipped, and the next one is processed', async () => {
  const bus = createMemoryBus();
  const campaign = await createSendingCampaign(db);
  const consumer = await consume(bus, scriptedChannel());

  const nonsense = [
    '',
    '{',
    'null',
    '5',
    '[]',
    '{}',
    '{"campaignId":5,"chunkNo":0}',
    '{"campaignId":"x","chunkNo":0}',
    `{"campaignId":"${campaign.campaignId}"}`,
  ];
  const wrongChunks = ['-2147483648', '0.5', '"0"', '99999999999'].map(
    (chunkNo) => `{"campaignId":"${campaign.campaignId}","chunkNo":${chunkNo}}`,
  );
  for (const value of [...nonsense, ...wrongChunks]) await announce(bus, value);
  await announce(bus, chunkOf(campaign));

  await eventually(async () => expect(await statesOf(campaign)).toEqual(['sent']));
  await eventually(async () =>
    expect(await committed(bus)).toBe(BigInt(nonsense.length + wrongChunks.length + 1)),
  );
  await consumer.stop();
});

/** A provider that responds on command, and its recipients in order. */
function heldProvider() {
  const held: (() => void)[] = [];
  const channel = scriptedChannel(
    () => new Promise((resolve) => held.push(() => resolve({ status: 'sent' }))),
  );
  return {
    channel,
    answerNext: () => held.shift()?.(),
    answerAll: () => {
      for (const answer of held.splice(0)) answer();
    },
  };
}

test('a campaign of one recipient is sent while no send of a large campaign ends', async () => {
  const bus = createMemoryBus();
  const large = await createSendingCampaign(db, { count: 20_000 });
  const small = await createSendingCampaign(db);
  const { channel, answerAll } = heldProvider();
  const consumer = await consume(bus, channel, { concurrency: 5 });
  await announceBulk(bus, large);
  await eventually(() => expect(channel.calls).toHaveLength(4));

  await announce(bus, chunkOf(small));

  await eventually(() => expect(channel.calls).toHaveLength(5));
  expect(channel.calls.map(({ campaignId }) => campaignId)).toEqual([
    ...Array.from({ length: 4 }, () => large.campaignId),
    small.campaignId,
  ]);
  const stopped = consumer.stop();
  answerAll();
  await stopped;
}, 120_000);

test('a small campaign waits for no other small one whose provider hangs, but for a slot', async () => {
  const bus = createMemoryBus();
  const hanging = await createSendingCampaign(db, { count: 400 });
  const other = await createSendingCampaign(db);
  const callsOf = ({ campaignId }: { readonly campaignId: string }) =>
    channel.calls.filter((call) => call.campaignId === campaignId).length;
  const { channel, answerNext, answerAll } = heldProvider();
  const consumer = await consume(bus, channel, { concurrency: 3 });
  await announce(bus, chunkOf(hanging), chunkOf(other));
  await eventually(() => expect(channel.calls.length).toBeGreaterThanOrEqual(3));

  // Its chunk may not be read yet: slots are released, one after the other, until it takes one.
  await eventually(() => {
    if (callsOf(other) === 0) answerNext();
    expect(callsOf(other)).toBe(1);
  });
  expect(callsOf(hanging)).toBeLessThan(400);
  const stopped = consumer.stop();
  answerAll();
  await stopped;
}, 60_000);

test('a small campaign does not wait for an earlier one of its partition whose provider hangs; its record is finished', async () => {
  const bus = createMemoryBus();
  const [hanging, other] = [await createSendingCampaign(db), await createSendingCampaign(db)];
  const answers: (() => void)[] = [];
  const failures: unknown[] = [];
  const channel = scriptedChannel(({ campaignId }) =>
    campaignId === hanging.campaignId
      ? new Promise((resolve) => answers.push(() => resolve({ status: 'sent' })))
      : { status: 'sent' },
  );
  const detachedChunks = createDetachedChunks({
    afterMs: 5,
    max: 2,
    ownedMax: 2,
    timers: systemClock,
    onError: (error) => failures.push(error),
  });
  const consumer = await consume(bus, channel, { detachedChunks });
  await announce(bus, chunkOf(hanging));
  await eventually(() => expect(answers).toHaveLength(1));

  await announce(bus, chunkOf(other));

  await eventually(async () => expect(await statesOf(other)).toEqual(['sent']));
  await eventually(async () => expect(await committed(bus)).toBe(2n));
  expect(await statesOf(hanging)).toEqual(['sending']);
  answers[0]?.();
  await detachedChunks.drain();
  expect(await statesOf(hanging)).toEqual(['sent']);
  expect(failures).toEqual([]);
  await consumer.stop();
}, 60_000);

test('a worker that stops makes its detached chunks due at once', async () => {
  const bus = createMemoryBus();
  const campaign = await createSendingCampaign(db, { count: 8 });
  const { channel, answerAll } = heldProvider();
  const detachedChunks = createDetachedChunks({
    afterMs: 5,
    max: 2,
    ownedMax: 2,
    timers: systemClock,
    onError: () => undefined,
  });
  const consumer = await consume(bus, channel, { detachedChunks });
  await announce(bus, chunkOf(campaign));
  await eventually(() => expect(channel.calls).toHaveLength(5));
  await eventually(async () => expect(await committed(bus)).toBe(1n));

  await consumer.stop();
  answerAll();
  await detachedChunks.drain();

  expect((await statesOf(campaign)).toSorted()).toEqual([
    ...Array.from({ length: 3 }, () => 'pending'),
    ...Array.from({ length: 5 }, () => 'sent'),
  ]);
  const { rows } = await db.sql.query(
    'select due_at <= now() as is_due from campaign_chunks where campaign_id = $1',
    [campaign.campaignId],
  );
  expect(rows).toEqual([{ is_due: true }]);
}, 60_000);

test('a chunk of a quick application with unclaimed rows is not detached: its offset is held, so that it is not dispatched again', async () => {
  const bus = createMemoryBus();
  const campaign = await createSendingCampaign(db, { count: 30 });
  const { channel, answerAll } = heldProvider();
  const detachedChunks = createDetachedChunks({
    afterMs: 1,
    max: 2,
    ownedMax: 2,
    timers: systemClock,
    onError: () => undefined,
  });
  // Its time stands still: no wait for a slot is long.
  const worker = testWorker(db, channel, { detachedChunks, clock: createFakeClock() });
  worker.slots.recordSendMs(campaign.applicationId, 5);
  const consumer = await consumeBy(bus, worker);
  await announce(bus, chunkOf(campaign));
  for (const handedOver of [5, 10, 15, 20]) {
    await eventually(() => expect(channel.calls).toHaveLength(handedOver));
    expect(await committed(bus)).toBe(0n);
    answerAll();
  }

  const stopped = consumer.stop();
  answerAll();
  await stopped;
}, 60_000);

test('the large campaigns of two applications are sent in turn', async () => {
  const bus = createMemoryBus();
  const campaigns = [
    await createSendingCampaign(db, { count: 1_200 }),
    await createSendingCampaign(db, { count: 1_200 }),
  ];
  const { channel, answerNext, answerAll } = heldProvider();
  const consumer = await consume(bus, channel, { concurrency: 5 });
  const numbers = Array.from({ length: 6 }, (_, chunkNo) => chunkNo);
  const producer = await bus.producer();
  await producer.produce(
    BULK_TOPIC,
    numbers.flatMap((chunkNo) =>
      campaigns.map((campaign) => ({ key: 'same partition', value: chunkOf(campaign, chunkNo) })),
    ),
  );
  await eventually(() => expect(channel.calls).toHaveLength(4));

  for (let handedOver = 5; handedOver <= 64; handedOver += 1) {
    answerNext();
    await eventually(() => expect(channel.calls.length).toBeGreaterThanOrEqual(handedOver));
  }

  // A chunk of the first application may have taken all slots before the other started.
  const shares = campaigns.map(
    ({ campaignId }) =>
      channel.calls.slice(4).filter((call) => call.campaignId === campaignId).length,
  );
  expect(Math.min(...shares)).toBeGreaterThanOrEqual(20);
  const stopped = consumer.stop();
  answerAll();
  await stopped;
}, 60_000);

test('of chunks at work together, those behind one that is not done are held, and read again without harm', async () => {
  const bus = createMemoryBus();
  const slow = await createSendingCampaign(db);
  const quick = await createSendingCampaign(db);
  const answers: ((result: SendResult) => void)[] = [];
  const channel = scriptedChannel(({ campaignId }) =>
    campaignId === slow.campaignId
      ? new Promise((resolve) => answers.push(resolve))
      : { status: 'sent' },
  );
  const consumer = await consume(bus, channel);
  await announce(bus, chunkOf(slow), chunkOf(quick));

  await eventually(async () => expect(await statesOf(quick)).toEqual(['sent']));
  expect(await committed(bus)).toBe(0n);
  const stopped = consumer.stop();
  await eventually(() => expect(answers).toHaveLength(1));
  answers[0]?.({ status: 'sent' });
  await stopped;
  const heir = await consume(bus, channel);

  await eventually(async () => expect(await committed(bus)).toBe(2n));
  expect(channel.calls).toHaveLength(2);
  await heir.stop();
}, 60_000);

test('a finished chunk waits for no earlier record: its retry is dispatched when it is due', async () => {
  const bus = createMemoryBus();
  const slow = await createSendingCampaign(db);
  const failing = await createSendingCampaign(db);
  const answers: ((result: SendResult) => void)[] = [];
  const channel = scriptedChannel(({ campaignId }) =>
    campaignId === slow.campaignId
      ? new Promise((resolve) => answers.push(resolve))
      : { status: 'transient', reason: 'provider_unavailable' },
  );
  await announce(bus, chunkOf(slow), chunkOf(failing));
  await db.sql.query(
    'update campaign_chunks set announced_partition = x.partition, announced_offset = 1 from (select $2::int as partition) x where campaign_id = $1',
    [
      failing.campaignId,
      [...(await bus.admin.topicOffsets(TOPIC))].find(([, { high }]) => high > 0n)?.[0],
    ],
  );

  const consumer = await consume(bus, channel);
  await eventually(async () => expect(await statesOf(failing)).toEqual(['retry_wait']));

  await eventually(async () => {
    const { rows } = await db.sql.query(
      'select due_at is not null as is_due, announced_offset from campaign_chunks where campaign_id = $1',
      [failing.campaignId],
    );
    expect(rows).toEqual([{ is_due: true, announced_offset: null }]);
  });
  expect(await committed(bus)).toBe(0n);
  const stopped = consumer.stop();
  answers[0]?.({ status: 'sent' });
  await stopped;
}, 60_000);
