import { afterAll, describe, expect, test } from '@jest/globals';
import { createMemoryBus } from '@tidings/bus';
import { dispatchTopic, workerName } from '@tidings/contracts/topics';
import type { DueChunkWithRecord } from '@tidings/delivery/chunks';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import { createOwnDatabase, eventually } from '@tidings/testing';
import { campaignsHelpers, readPointers, chunkNosOf } from './testing/campaigns-service.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const { campaignsService, accepted, makeDue } = campaignsHelpers(db);

describe('a due chunk', () => {
  test('is dispatched once per due time: not while its record is unread', async () => {
    const service = await campaignsService();
    const campaign = await accepted(1);
    await service.sweep();

    for (let round = 0; round < 3; round += 1) {
      await makeDue(campaign);
      await service.sweep();
    }

    const reader = await readPointers(service.bus);
    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0]));
    await eventually(async () =>
      expect(
        (
          await service.bus.admin.committedOffsets(
            workerName('EMAIL'),
            dispatchTopic('EMAIL', 'express'),
          )
        ).size,
      ).toBeGreaterThan(0),
    );
    await makeDue(campaign);
    await service.sweep();
    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0, 0]));
    await reader.stop();
  });

  test('is dispatched again when the topic has lost its record', async () => {
    const campaign = await accepted(1);
    await (await campaignsService()).sweep();
    await makeDue(campaign);
    const afterwards = await campaignsService();
    const reader = await readPointers(afterwards.bus);

    await afterwards.sweep();

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0]));
    await reader.stop();
  });

  test('is dispatched after the broker’s return', async () => {
    const service = await campaignsService();
    const campaign = await accepted(1);
    service.bus.setAvailable(false);
    await service.sweep();
    service.bus.setAvailable(true);
    await makeDue(campaign);
    const reader = await readPointers(service.bus);

    await service.sweep();

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0]));
    await reader.stop();
  });

  test('is dispatched once by two services that sweep concurrently', async () => {
    const bus = createMemoryBus();
    const services = [await campaignsService({ bus }), await campaignsService({ bus })];
    const campaign = await accepted(600);
    await startCampaign(db, campaign.campaignId);
    await expandNextChunks(db, campaign.campaignId);
    await makeDue(campaign);
    const reader = await readPointers(bus);

    await Promise.all(services.map((service) => service.sweep()));
    await Promise.all(services.map((service) => service.sweep()));

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0, 1, 2]));
    await reader.stop();
  });
});

describe('the dispatcher', () => {
  const chunk = (overrides: Partial<DueChunkWithRecord> = {}): DueChunkWithRecord => ({
    campaignId: '00000000-0000-7000-8000-000000000000',
    chunkNo: 0,
    applicationId: '00000000-0000-4000-8000-000000000000',
    channel: 'EMAIL',
    lane: 'express',
    dispatchedPartition: null,
    dispatchedOffset: null,
    ...overrides,
  });

  test('stores the position of each dispatch record', async () => {
    const { dispatcher, bus } = await campaignsService();
    const campaign = await accepted(2_100);
    await startCampaign(db, campaign.campaignId);
    const chunks = (await expandNextChunks(db, campaign.campaignId)) ?? [];

    await dispatcher.dispatch(chunks, 'expansion');

    const { rows } = await db.sql.query<{
      chunk_no: number;
      announced_partition: number;
      announced_offset: string;
    }>(
      'select chunk_no, announced_partition, announced_offset from campaign_chunks where campaign_id = $1 and announced_partition is not null order by 1',
      [campaign.campaignId],
    );
    expect(rows.map((row) => row.chunk_no)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const offsets = await bus.admin.topicOffsets(dispatchTopic('EMAIL', 'bulk'));
    const written = [...offsets].flatMap(([partition, { high }]) =>
      Array.from({ length: Number(high) }, (_, offset) => `${partition}:${offset}`),
    );
    expect(
      rows.map((row) => `${row.announced_partition}:${row.announced_offset}`).toSorted(),
    ).toEqual(written.toSorted());
  });

  test('distinguishes unread records from those read or gone', async () => {
    const { dispatcher, bus } = await campaignsService();
    const producer = await bus.producer();
    const topic = dispatchTopic('EMAIL', 'express');
    const [first] = await producer.produce(topic, [{ key: 'k', value: '{}' }]);
    const never = chunk();
    const waiting = chunk({ dispatchedPartition: first?.partition ?? 0, dispatchedOffset: 0n });
    const gone = chunk({ dispatchedPartition: first?.partition ?? 0, dispatchedOffset: 5n });
    const elsewhere = chunk({ dispatchedPartition: 99, dispatchedOffset: 0n });
    expect(await dispatcher.waiting([never, waiting, gone, elsewhere])).toEqual(new Set([waiting]));

    const reader = await readPointers(bus);
    await eventually(async () =>
      expect(
        (await bus.admin.committedOffsets(workerName('EMAIL'), topic)).get(first?.partition ?? 0),
      ).toBe(1n),
    );

    expect(await dispatcher.waiting([never, waiting, gone, elsewhere])).toEqual(new Set());
    await reader.stop();
  });
});
