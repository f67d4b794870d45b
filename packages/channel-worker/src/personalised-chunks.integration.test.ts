import { afterAll, expect, test } from '@jest/globals';
import { createMemoryBus } from '@tidings/bus';
import { CHUNK_ROWS_MAX } from '@tidings/contracts/ingest/records';
import { dispatchTopic } from '@tidings/contracts/topics';
import { connectTestDatabase, createSendingCampaign, eventually } from '@tidings/testing';
import { handleDispatchRecords } from './handle-dispatch-records.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const TOPIC = dispatchTopic('EMAIL', 'express');
const GROUP = 'worker-email';

test('records of the chunks of a personalised campaign, which have negative numbers, are read', async () => {
  const bus = createMemoryBus();
  const message = { title: 'Hello', body: 'To {{ user.customUserId }}' };
  const { campaignId } = await createSendingCampaign(db, {
    count: CHUNK_ROWS_MAX + 1,
    templates: [{ slug: null, version: null, share: 1, message, variants: [] }],
  });
  const channel = scriptedChannel();
  const worker = testWorker(db, channel, { concurrency: 50 });
  const consumer = await bus.consume({
    group: GROUP,
    topics: [TOPIC],
    handleBatch: (batch) => handleDispatchRecords(worker, batch, 'express'),
  });

  await (
    await bus.producer()
  ).produce(
    TOPIC,
    [-1, -2].map((chunkNo) => ({
      key: 'same partition',
      value: JSON.stringify({ campaignId, chunkNo }),
    })),
  );

  await eventually(() => expect(channel.calls).toHaveLength(CHUNK_ROWS_MAX + 1));
  await consumer.stop();
});
