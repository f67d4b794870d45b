import { afterAll, describe, expect, test } from '@jest/globals';
import { BusUnavailableError, createMemoryBus, type MemoryBus } from '@tidings/bus';
import {
  TOPICS,
  dispatchTopic,
  workerName,
  type ChunkRef,
  type DispatchRecord,
} from '@tidings/contracts';
import { acceptCampaign, acceptCampaigns, type NewCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { dueChunks, type DueChunkWithRecord } from '@tidings/delivery/chunks';
import { markSending, claimChunk } from '@tidings/delivery/claims';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import { readCampaign } from '@tidings/delivery/reports';
import type { Database } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createRecordingLogger,
  createSendingApplication,
  eventually,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { createChunkDispatcher } from './dispatch-chunks.ts';
import { handleQueuedCampaigns } from './handle-queued-campaigns.ts';
import { expandBulk } from './expand-bulk.ts';
import { createBulkDispatcher } from './bulk-dispatcher.ts';
import { expandLeftBehind, sweep } from './sweep.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

const SETTINGS = { redispatchAfterMs: 30_000 };
const unending = new AbortController().signal;

/** A campaigns service with its own bus, and the records it dispatched. */
async function campaignsService({
  bus = createMemoryBus(),
  database = db,
}: { readonly bus?: MemoryBus; readonly database?: Database } = {}) {
  const { logger, lines } = createRecordingLogger();
  const deps = {
    db: database,
    dispatcher: createChunkDispatcher({ bus, producer: await bus.producer(), db: database }),
    logger,
  };
  const bulkFeed = createBulkDispatcher(deps, { recordsMax: 100, ...SETTINGS });
  return {
    ...deps,
    bus,
    lines,
    dispatchDue: () => bulkFeed.dispatchDue(),
    sweep: async () => {
      await sweep(deps, SETTINGS, unending);
      // In the service loops of their own, which try again when the broker is away.
      for (const loop of [
        () => expandLeftBehind(deps, unending),
        () => expandBulk(deps, unending),
        () => bulkFeed.dispatchDue(),
      ]) {
        await loop().catch((error: unknown) => {
          if (!(error instanceof BusUnavailableError)) throw error;
        });
      }
    },
    consume: () =>
      bus.consume({
        group: 'campaigns',
        topics: [TOPICS.campaigns],
        handleBatch: (batch) => handleQueuedCampaigns(deps, batch),
      }),
    async announceCampaign(value: string) {
      await (await bus.producer()).produce(TOPICS.campaigns, [{ key: 'same partition', value }]);
    },
  };
}

/** Reads every dispatch record of the e-mail topics, as a worker does, and ignores it. */
async function readPointers(
  bus: MemoryBus,
): Promise<{ readonly pointers: DispatchRecord[]; readonly stop: () => Promise<void> }> {
  const pointers: DispatchRecord[] = [];
  const consumer = await bus.consume({
    group: workerName('EMAIL'),
    topics: [dispatchTopic('EMAIL', 'express'), dispatchTopic('EMAIL', 'bulk')],
    handleBatch: async ({ records }) => {
      pointers.push(...records.map(({ value }) => JSON.parse(value.toString()) as DispatchRecord));
    },
  });
  return { pointers, stop: () => consumer.stop() };
}

const chunkNosOf = ({ campaignId }: NewCampaign, pointers: readonly ChunkRef[]): number[] =>
  pointers
    .filter((chunkOf) => chunkOf.campaignId === campaignId)
    .map(({ chunkNo }) => chunkNo)
    .toSorted((a, b) => a - b);

async function accepted(count: number, overrides: Partial<NewCampaign> = {}): Promise<NewCampaign> {
  const { applicationId } = await createSendingApplication(db);
  const recipients = someIds(count);
  await registerUsers(db, applicationId, recipients);
  const campaign = newCampaign({
    applicationId,
    recipients,
    createdAt: Date.now() - 60_000,
    ...overrides,
  });
  await acceptCampaign(db, campaign);
  return campaign;
}

const makeDue = ({ campaignId }: NewCampaign) =>
  db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [campaignId]);
const recordOf = ({ applicationId, campaignId }: NewCampaign) =>
  readCampaign(db, applicationId, campaignId);

describe('a campaign', () => {
  test('that is queued is expanded, and each of its chunks dispatched once', async () => {
    const service = await campaignsService();
    const campaign = await accepted(450);
    const consumer = await service.consume();
    const reader = await readPointers(service.bus);

    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));
    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0, 1, 2]));
    await eventually(async () =>
      expect(
        (await service.bus.admin.committedOffsets('campaigns', TOPICS.campaigns)).values().next()
          .value,
      ).toBe(2n),
    );
    expect(await recordOf(campaign)).toMatchObject({
      status: 'sending',
      counts: { total: 450, pending: 450 },
    });
    await Promise.all([consumer.stop(), reader.stop()]);
  });

  test('of one recipient is one of a thousand that are expanded together, with any others in the queue', async () => {
    let transactions = 0;
    const counting: Database = {
      ...db,
      transaction: (work) => {
        transactions += 1;
        return db.transaction(work);
      },
    };
    const service = await campaignsService({ database: counting });
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(1_000);
    await registerUsers(db, applicationId, recipients);
    const campaigns = recipients.map((recipient) =>
      newCampaign({ applicationId, recipients: [recipient], createdAt: Date.now() - 60_000 }),
    );
    for (let start = 0; start < campaigns.length; start += 100)
      await acceptCampaigns(db, campaigns.slice(start, start + 100));
    const large = await accepted(201);
    const announcements = [large, ...campaigns].map(({ campaignId }) => ({
      key: 'same partition',
      value: JSON.stringify({ campaignId }),
    }));
    await (
      await service.bus.producer()
    ).produce(TOPICS.campaigns, [{ key: 'same partition', value: 'unreadable' }, ...announcements]);

    const consumer = await service.consume();
    const reader = await readPointers(service.bus);

    await eventually(() => expect(reader.pointers).toHaveLength(1_002), { timeoutMs: 60_000 });
    await eventually(async () =>
      expect(
        (await service.bus.admin.committedOffsets('campaigns', TOPICS.campaigns)).values().next()
          .value,
      ).toBe(1_002n),
    );
    expect(new Set(reader.pointers.map(({ campaignId }) => campaignId)).size).toBe(1_001);
    expect(transactions).toBeLessThan(50);
    await Promise.all([consumer.stop(), reader.stop()]);
  }, 120_000);

  test('whose queue record was lost is expanded by the sweep', async () => {
    const service = await campaignsService();
    const campaign = await accepted(201);
    const reader = await readPointers(service.bus);

    await service.sweep();

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0, 1]));
    // The sweep also dispatches chunks of earlier tests that are due again.
    const ours = reader.pointers.filter(({ campaignId }) => campaignId === campaign.campaignId);
    expect(new Set(ours.map(({ applicationId }) => applicationId))).toEqual(
      new Set([campaign.applicationId]),
    );
    await reader.stop();
  });

  test.each(['before its chunks were dispatched', 'before its second step'])(
    'whose expander was killed %s goes on where it ended',
    async (when) => {
      const service = await campaignsService();
      const campaign = await accepted(2_600);
      const reader = await readPointers(service.bus);
      await startCampaign(db, campaign.campaignId);
      await expandNextChunks(db, campaign.campaignId);
      if (when === 'before its second step') await service.dispatchDue();

      await service.sweep();

      const expected = Array.from({ length: 13 }, (_, chunkNo) => chunkNo);
      await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual(expected));
      expect(await recordOf(campaign)).toMatchObject({ counts: { total: 2_600, pending: 2_600 } });
      await reader.stop();
    },
  );

  test('goes from the queue record to completion', async () => {
    const service = await campaignsService();
    const campaign = await accepted(3);
    const consumer = await service.consume();
    const reader = await readPointers(service.bus);
    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));
    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0]));
    const claimed = await claimChunk(db, {
      campaignId: campaign.campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 10,
    });
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      claimed.map(({ deliveryId, fence }) => ({ deliveryId, fence, state: 'sent' })),
    );

    await service.sweep();

    expect(await recordOf(campaign)).toMatchObject({
      status: 'completed',
      counts: { total: 3, sent: 3, pending: 0 },
    });
    await Promise.all([consumer.stop(), reader.stop()]);
  });

  test('an invalid queue record is skipped, and the next campaign is expanded', async () => {
    const service = await campaignsService();
    const campaign = await accepted(1, { createdAt: Date.now() });
    const consumer = await service.consume();

    for (const value of [
      '',
      '{',
      'null',
      '5',
      '[]',
      '{}',
      '{"campaignId":"x"}',
      '{"campaignId":7}',
    ])
      await service.announceCampaign(value);
    await service.announceCampaign(
      JSON.stringify({ campaignId: '00000000-0000-7000-8000-000000000000' }),
    );
    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));

    await eventually(async () =>
      expect(await recordOf(campaign)).toMatchObject({ status: 'sending' }),
    );
    await consumer.stop();
  });
});

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

describe('a sweep', () => {
  test('goes on with the rest when one part fails, and says which', async () => {
    const query = db.sql.query.bind(db.sql) as (...args: unknown[]) => unknown;
    const broken: Database = {
      ...db,
      transaction: (work) => db.transaction(work),
      sql: {
        query: ((...args: unknown[]) =>
          String(args[0]).includes("'campaign.completed'")
            ? Promise.reject(new Error('bug'))
            : query(...args)) as Database['sql']['query'],
      },
    };
    const service = await campaignsService({ database: broken });
    const campaign = await accepted(1);
    const reader = await readPointers(service.bus);

    await service.sweep();

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0]));
    expect(service.lines).toContainEqual(
      expect.objectContaining({
        msg: 'sweep failed, the next one retries',
        work: 'completion',
      }),
    );
    await reader.stop();
  });

  test('settles what it can while the broker is away', async () => {
    const service = await campaignsService();
    const campaign = await accepted(2);
    await service.sweep();
    const claimed = await claimChunk(db, {
      campaignId: campaign.campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 10,
    });
    await markSending(db, claimed, 0);
    service.bus.setAvailable(false);

    await service.sweep();

    expect(await recordOf(campaign)).toMatchObject({
      status: 'completed',
      counts: { unknown: 2, pending: 0 },
    });
  });

  test('reports success: not while due chunks cannot be dispatched', async () => {
    const service = await campaignsService();
    const campaign = await accepted(1);
    await startCampaign(db, campaign.campaignId);
    await expandNextChunks(db, campaign.campaignId);
    await db.sql.query(
      `update campaign_chunks set due_at = now() - interval '1 second' where campaign_id = $1`,
      [campaign.campaignId],
    );
    service.bus.setAvailable(false);
    const whileAway = await sweep(service, SETTINGS, unending);
    service.bus.setAvailable(true);
    await db.sql.query(
      `update campaign_chunks set due_at = now() - interval '1 second' where campaign_id = $1`,
      [campaign.campaignId],
    );

    expect([whileAway, await sweep(service, SETTINGS, unending)]).toEqual([false, true]);
  });

  test('ends early when the service stops', async () => {
    const service = await campaignsService();
    const campaign = await accepted(1);

    await sweep(service, SETTINGS, AbortSignal.abort());

    expect(await recordOf(campaign)).toMatchObject({ status: 'queued' });
    expect(await dueChunks(db)).not.toContainEqual(
      expect.objectContaining({ campaignId: campaign.campaignId }),
    );
  });
});
