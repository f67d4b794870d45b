import { afterAll, describe, expect, test } from '@jest/globals';
import { createMemoryBus, type Consumer, type MemoryBus } from '@tidings/bus';
import type { DispatchRecord } from '@tidings/contracts/ingest/records';
import { dispatchTopic } from '@tidings/contracts/topics';
import type { NewCampaign } from '@tidings/delivery/accept';
import { markDispatched, takeChunks } from '@tidings/delivery/chunks';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { systemClock, type Clock, type Timers } from '@tidings/platform';
import {
  connectTestDatabase,
  createFakeClock,
  createSendingApplication,
  createSendingCampaign,
  eventually,
} from '@tidings/testing';
import { handleDispatchRecords } from './handle-dispatch-records.ts';
import { sendChunk } from './send-chunk.ts';
import { createDetachedChunks } from './detached-chunks.ts';
import { chunkOf as chunkRef } from './testing/first-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const TOPIC = dispatchTopic('EMAIL', 'express');
const GROUP = 'worker-email';
const unending = new AbortController().signal;
const SLOW_MS = 14_000;

const statesOf = async ({ campaignId }: NewCampaign) =>
  (await listDeliveries(db, campaignId, { limit: 500 })).map(
    ({ status, attempts }) => `${status} ${attempts}`,
  );
const committed = async (bus: MemoryBus): Promise<bigint> =>
  (await bus.admin.committedOffsets(GROUP, TOPIC)).values().next().value ?? 0n;

async function chunkOf({ campaignId }: NewCampaign) {
  const { rows } = await db.sql.query<{ seconds: number; announced_offset: string | null }>(
    'select extract(epoch from due_at - now())::float8 as seconds, announced_offset from campaign_chunks where campaign_id = $1',
    [campaignId],
  );
  return rows[0];
}

/** An application whose provider hangs until released, and another with fast responses. */
async function createSubject({
  concurrency = 20,
  clock = systemClock,
}: { readonly concurrency?: number; readonly clock?: Clock & Timers } = {}) {
  const { applicationId } = await createSendingApplication(db);
  const held: (() => void)[] = [];
  const channel = scriptedChannel((delivery) =>
    delivery.applicationId === applicationId
      ? new Promise((resolve) => held.push(() => resolve({ status: 'sent' })))
      : { status: 'sent' },
  );
  const detachedChunks = createDetachedChunks({
    afterMs: 5,
    max: 60,
    ownedMax: 40,
    timers: systemClock,
    onError: () => undefined,
  });
  const worker = testWorker(db, channel, { concurrency, detachedChunks, clock });
  return {
    applicationId,
    held,
    worker,
    detachedChunks,
    answerAll: () => {
      for (const answer of held.splice(0)) answer();
    },
    consume: (bus: MemoryBus): Promise<Consumer> =>
      bus.consume({
        group: GROUP,
        topics: [TOPIC],
        handleBatch: (batch) => handleDispatchRecords(worker, batch, 'express'),
      }),
  };
}

async function announce(bus: MemoryBus, campaigns: readonly NewCampaign[]): Promise<void> {
  const records = campaigns.map((campaign): DispatchRecord => ({
    ...chunkRef(campaign),
    applicationId: campaign.applicationId,
  }));
  await (
    await bus.producer()
  ).produce(
    TOPIC,
    records.map((record) => ({ key: 'same partition', value: JSON.stringify(record) })),
  );
}

describe('a chunk whose application gets no slot soon', () => {
  test('is postponed before any row is claimed; its record is finished, and the sweep dispatches it when it is due', async () => {
    const { applicationId, worker } = await createSubject();
    worker.slots.recordSendMs(applicationId, SLOW_MS);
    const owner = { lane: 'express', applicationId, timeoutMs: 20_000, signal: unending } as const;
    expect(await worker.slots.take(100, owner)).toBe(10);
    const first = worker.slots.take(1, owner);
    const campaign = await createSendingCampaign(db, { applicationId, count: 3 });
    await markDispatched(db, [{ ...chunkRef(campaign), partition: 1, offset: 7n }]);

    await sendChunk(
      worker,
      { ...chunkRef(campaign), readFrom: { partition: 1, offset: 7n } },
      unending,
    );

    expect(await statesOf(campaign)).toEqual(['pending 0', 'pending 0', 'pending 0']);
    const { rows } = await db.sql.query(
      'select distinct fence from deliveries where campaign_id = $1',
      [campaign.campaignId],
    );
    expect(rows).toEqual([{ fence: 0 }]);
    const chunk = await chunkOf(campaign);
    expect(chunk?.announced_offset).toBeNull();
    expect(chunk?.seconds).toBeGreaterThan(1);
    expect(chunk?.seconds).toBeLessThan(6);
    expect(await takeChunks(db, [chunkRef(campaign)], 1_000)).toEqual([]);
    await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);
    expect(await takeChunks(db, [chunkRef(campaign)], 1_000)).toMatchObject([
      { ...chunkRef(campaign), applicationId },
    ]);
    expect(await first).toBe(0);
  });

  test('waits for nothing when it is a test send', async () => {
    const { applicationId, worker } = await createSubject();
    worker.slots.recordSendMs(applicationId, SLOW_MS);
    await worker.slots.take(100, {
      lane: 'express',
      applicationId,
      timeoutMs: 0,
      signal: unending,
    });
    void worker.slots.take(1, {
      lane: 'express',
      applicationId,
      timeoutMs: 20_000,
      signal: unending,
    });
    const campaign = await createSendingCampaign(db, { applicationId });
    const known = await worker.cache.campaign(campaign.campaignId);
    if (known === null) throw new Error('the campaign is not there');

    expect(await worker.accounts.blockedForMs({ ...known, isTest: true }, [''])).toBe(0);
    expect(await worker.accounts.blockedForMs(known, [''])).toBeGreaterThan(0);
  });
});

const personal = (body: string) => ({
  templates: [
    { slug: null, version: null, share: 1, message: { title: 'Hi', body }, variants: [] },
  ],
});

describe('a chunk whose application waits for its renderings', () => {
  test.each([
    ['is postponed before any row is claimed', 4_000, ['pending 0', 'pending 0'], 4],
    ['is postponed for ten seconds at most', 600_000, ['pending 0', 'pending 0'], 10],
  ])('%s', async (_what, waitMs, states, seconds) => {
    const campaign = await createSendingCampaign(db, { count: 2, ...personal('Hello') });
    const worker = testWorker(db, scriptedChannel(), {
      renderWaitMs: (applicationId) => (applicationId === campaign.applicationId ? waitMs : 0),
    });

    await sendChunk(worker, chunkRef(campaign), unending);

    expect(await statesOf(campaign)).toEqual(states);
    const left = (await chunkOf(campaign))?.seconds;
    expect(left).toBeGreaterThan(seconds - 2);
    expect(left).toBeLessThan(seconds * 1.5);
  });

  test.each([
    ['its message is the same for all', 60_000, {}],
    ['they wait briefly', 400, personal('Hello')],
  ])('is sent if %s', async (_what, waitMs, message) => {
    const campaign = await createSendingCampaign(db, { count: 2, ...message });
    const worker = testWorker(db, scriptedChannel(), { renderWaitMs: () => waitMs });

    await sendChunk(worker, chunkRef(campaign), unending);

    expect(await statesOf(campaign)).toEqual(['sent 1', 'sent 1']);
  });
});

describe('a chunk whose messages take longer to render than the lease of its rows may last', () => {
  // A turn of a thread renders some of them, and never all.
  const slow = personal(
    '{% for i in (1..200) %}{% assign x = "now" | date: "%A %c" %}{% endfor %}ok',
  );
  const COUNT = 30;

  test.each(['express', 'bulk'])(
    'is sent part by part: %s',
    async (lane) => {
      const campaign = await createSendingCampaign(db, { count: COUNT, ...slow });
      await db.sql.query('update campaigns set lane = $2 where id = $1', [
        campaign.campaignId,
        lane,
      ]);
      const channel = scriptedChannel();
      const worker = testWorker(db, channel, {
        claimRowsMax: 100,
        concurrency: 100,
        renderMsMax: 0,
      });
      const sent: number[] = [];

      while ((sent.at(-1) ?? 0) < COUNT && sent.length < COUNT) {
        await sendChunk(worker, chunkRef(campaign), unending);
        sent.push(channel.calls.length);
      }

      expect(sent[0]).toBeGreaterThan(0);
      expect(sent[0]).toBeLessThan(COUNT);
      expect(new Set(await statesOf(campaign))).toEqual(new Set(['sent 1']));
    },
    60_000,
  );
});

describe('beside an application whose messages take long to render', () => {
  test('a push of another is sent while a chunk with rows left to claim is rendered in the same partition', async () => {
    const bus = createMemoryBus();
    const { applicationId } = await createSendingApplication(db);
    const channel = scriptedChannel();
    const detachedChunks = createDetachedChunks({
      afterMs: 5,
      max: 60,
      ownedMax: 40,
      timers: systemClock,
      onError: () => undefined,
    });
    const worker = testWorker(db, channel, { claimRowsMax: 40, concurrency: 50, detachedChunks });
    // Some 4 s of CPU for the rows that are claimed first.
    const costly = '{% for i in (1..1000) %}{% assign x = "now" | date: "%A %c" %}{% endfor %}ok';
    const campaign = await createSendingCampaign(db, {
      applicationId,
      count: 100,
      ...personal(costly),
    });
    const other = await createSendingCampaign(db);
    const consumer = await bus.consume({
      group: GROUP,
      topics: [TOPIC],
      handleBatch: (batch) => handleDispatchRecords(worker, batch, 'express'),
    });

    await announce(bus, [campaign]);
    await eventually(async () => expect(new Set(await statesOf(campaign)).size).toBe(2));
    await announce(bus, [other]);

    await eventually(async () => expect(await statesOf(other)).toEqual(['sent 1']));
    expect(channel.calls.flat().map((call) => call.campaignId)).toEqual([other.campaignId]);
    await db.sql.query(`update campaigns set status = 'canceled' where id = $1`, [
      campaign.campaignId,
    ]);
    await Promise.all([consumer.stop(), detachedChunks.drain()]);
  }, 60_000);
});

describe('beside an application whose provider hangs', () => {
  test('single pushes of another application, behind forty of it in the same partition, are sent; all records are finished', async () => {
    const bus = createMemoryBus();
    const { applicationId, worker, detachedChunks, consume, answerAll } = await createSubject();
    worker.slots.recordSendMs(applicationId, SLOW_MS);
    const hanging: NewCampaign[] = [];
    for (let push = 0; push < 40; push += 1)
      hanging.push(await createSendingCampaign(db, { applicationId }));
    const others = [await createSendingCampaign(db), await createSendingCampaign(db)];
    const consumer = await consume(bus);

    await announce(bus, [...hanging, ...others]);

    for (const other of others)
      await eventually(async () => expect(await statesOf(other)).toEqual(['sent 1']), {
        timeoutMs: 5_000,
      });
    await eventually(async () => expect(await committed(bus)).toBe(42n), { timeoutMs: 10_000 });
    const states = (await Promise.all(hanging.map(statesOf))).flat();
    await eventually(async () =>
      expect(
        (await Promise.all(hanging.map(statesOf))).flat().filter((state) => state !== 'sending 1'),
      ).toEqual(Array.from({ length: 30 }, () => 'pending 0')),
    );
    expect(states.filter((state) => state === 'sending 1')).toHaveLength(10);
    answerAll();
    await detachedChunks.drain();
    await consumer.stop();
  }, 60_000);

  test('a push of another is sent while a chunk with rows left to claim waits for a slot in the same partition', async () => {
    const bus = createMemoryBus();
    // Its time stands still: the chunk never gives its rows back.
    const { applicationId, held, worker, detachedChunks, consume, answerAll } = await createSubject(
      {
        clock: createFakeClock(),
      },
    );
    worker.slots.recordSendMs(applicationId, SLOW_MS);
    const campaign = await createSendingCampaign(db, { applicationId, count: 100 });
    const other = await createSendingCampaign(db);
    const consumer = await consume(bus);
    await announce(bus, [campaign]);
    await eventually(() => expect(held).toHaveLength(10));

    await announce(bus, [other]);

    await eventually(async () => expect(await statesOf(other)).toEqual(['sent 1']), {
      timeoutMs: 5_000,
    });
    await eventually(async () => expect(await committed(bus)).toBe(2n), { timeoutMs: 5_000 });
    expect((await statesOf(campaign)).filter((state) => state === 'sending 1')).toHaveLength(10);
    const stopped = consumer.stop();
    answerAll();
    await Promise.all([stopped, detachedChunks.drain()]);
    const states = await statesOf(campaign);
    expect(states.filter((state) => state === 'sent 1')).toHaveLength(10);
    expect(states.filter((state) => state.startsWith('pending'))).toHaveLength(90);
  }, 60_000);

  test('a chunk of which rows are given back does not hold its turn while its sends are under way, and is due again', async () => {
    const bus = createMemoryBus();
    const { applicationId, held, worker, detachedChunks, consume, answerAll } =
      await createSubject();
    worker.slots.recordSendMs(applicationId, SLOW_MS);
    const campaign = await createSendingCampaign(db, { applicationId, count: 100 });
    const consumer = await consume(bus);
    await announce(bus, [campaign]);
    await eventually(() => expect(held).toHaveLength(10));

    await eventually(async () => expect(await committed(bus)).toBe(1n), { timeoutMs: 10_000 });

    expect((await statesOf(campaign)).filter((state) => state === 'sending 1')).toHaveLength(10);
    answerAll();
    await detachedChunks.drain();
    expect((await statesOf(campaign)).filter((state) => state === 'sent 1')).toHaveLength(10);
    expect((await chunkOf(campaign))?.seconds).toBeLessThanOrEqual(0);
    await consumer.stop();
  }, 60_000);
});
