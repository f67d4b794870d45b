import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createMemoryBus, type MemoryBus } from '@tidings/bus';
import { TOPICS, dispatchTopic, workerName } from '@tidings/contracts/topics';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import type { DueChunk } from '@tidings/delivery/chunks';
import { claimChunk } from '@tidings/delivery/claims';
import type { Database } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createRecordingLogger,
  createSendingApplication,
  eventually,
  newCampaign,
  recount,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { createChunkDispatcher } from '@tidings/chunk-dispatch/dispatch-chunks';
import { expandBulk } from './expand-bulk.ts';
import { createBulkDispatcher } from './bulk-dispatcher.ts';
import { handleQueuedCampaigns } from './handle-queued-campaigns.ts';

// Expansion and dispatchDue work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
beforeEach(() => db.sql.query(`update campaigns set status = 'canceled'`));

const BULK = dispatchTopic('EMAIL', 'bulk');
const unending = new AbortController().signal;
const { logger } = createRecordingLogger();

async function accepted(count: number, applicationId?: string): Promise<NewCampaign> {
  const owner = applicationId ?? (await createSendingApplication(db)).applicationId;
  const recipients = someIds(count);
  await registerUsers(db, owner, recipients);
  const campaign = newCampaign({ applicationId: owner, recipients });
  await acceptCampaign(db, campaign);
  return campaign;
}

/** A bulk dispatcher with its own bus, and the chunks it dispatched, in order. */
async function feeding({
  bus = createMemoryBus(),
  recordsMax = 4,
}: { readonly bus?: MemoryBus; readonly recordsMax?: number } = {}) {
  const dispatcher = createChunkDispatcher({ bus, producer: await bus.producer(), keyedDb: db });
  const announced: DueChunk[] = [];
  const recording: typeof dispatcher = {
    ...dispatcher,
    dispatch(chunks, cause) {
      announced.push(...chunks);
      return dispatcher.dispatch(chunks, cause);
    },
  };
  return {
    bus,
    dispatcher,
    announced,
    ...createBulkDispatcher(
      { keyedDb: db, dispatcher: recording },
      { recordsMax, redispatchAfterMs: 30_000 },
    ),
  };
}

/** Reads the bulk topic, as workers that finish at once. */
async function readAll(bus: MemoryBus): Promise<void> {
  const consumer = await bus.consume({
    group: workerName('EMAIL'),
    topics: [BULK],
    handleBatch: () => Promise.resolve(),
  });
  await eventually(async () => {
    const [committed, offsets] = await Promise.all([
      bus.admin.committedOffsets(workerName('EMAIL'), BULK),
      bus.admin.topicOffsets(BULK),
    ]);
    expect(
      [...offsets].filter(([partition, { high }]) => (committed.get(partition) ?? 0n) < high),
    ).toEqual([]);
  });
  await consumer.stop();
}

const chunkNumbers = (count: number): number[] =>
  Array.from({ length: count }, (_, chunkNo) => chunkNo);
const chunksOf = ({ campaignId }: NewCampaign, announced: readonly DueChunk[]): number[] =>
  announced
    .filter((chunk) => chunk.campaignId === campaignId)
    .map(({ chunkNo }) => chunkNo)
    .toSorted((a, b) => a - b);

async function expandedChunks({ campaignId }: NewCampaign): Promise<number> {
  const { rows } = await db.sql.query<{ n: number }>(
    'select count(*)::int as n from campaign_chunks where campaign_id = $1 and expanded_at is not null',
    [campaignId],
  );
  return rows[0]?.n ?? 0;
}

/** The database of a process that is killed within its `steps`-th transaction. */
function killedAfter(steps: number, onKill: () => void): Database {
  let left = steps;
  return {
    ...db,
    transaction: (work) => {
      left -= 1;
      if (left > 0) return db.transaction(work);
      return db.transaction(async (sql) => {
        await work(sql);
        onKill();
        throw new Error('killed');
      });
    },
  };
}

describe('expansion', () => {
  test('of a small campaign waits for none of a large one queued before it', async () => {
    const bus = createMemoryBus();
    const dispatcher = createChunkDispatcher({ bus, producer: await bus.producer(), keyedDb: db });
    const large = await accepted(20_000);
    const small = await accepted(1);
    await (
      await bus.producer()
    ).produce(
      TOPICS.campaigns,
      [large, small].map(({ campaignId }) => ({
        key: 'same partition',
        value: JSON.stringify({ campaignId }),
      })),
    );

    const consumer = await bus.consume({
      group: 'campaigns',
      topics: [TOPICS.campaigns],
      handleBatch: (batch) => handleQueuedCampaigns({ db, keyedDb: db, dispatcher, logger }, batch),
    });

    await eventually(async () =>
      expect((await recount(db, small.campaignId)).groups).toEqual({ pending: 1 }),
    );
    await eventually(async () =>
      expect(
        (await bus.admin.committedOffsets('campaigns', TOPICS.campaigns)).values().next().value,
      ).toBe(2n),
    );
    expect(await expandedChunks(large)).toBe(0);
    await consumer.stop();
  }, 60_000);

  test('of two applications’ large campaigns alternates, a batch of each', async () => {
    const [first, second] = [await accepted(8_000), await accepted(8_000)];
    const stopping = new AbortController();

    await expandBulk(
      { db: killedAfter(5, () => stopping.abort()), keyedDb: db, logger },
      stopping.signal,
    );

    expect([await expandedChunks(first), await expandedChunks(second)]).toEqual([20, 20]);
  }, 60_000);

  test('that is killed in the middle goes on, and repeats nothing', async () => {
    const [first, second] = [await accepted(8_000), await accepted(5_001)];
    for (const steps of [1, 3, 4]) {
      const stopping = new AbortController();
      await expandBulk(
        { db: killedAfter(steps, () => stopping.abort()), keyedDb: db, logger },
        stopping.signal,
      );
    }

    await Promise.all([
      expandBulk({ db, keyedDb: db, logger }, unending),
      expandBulk({ db, keyedDb: db, logger }, unending),
    ]);

    const { bus, announced, dispatchDue } = await feeding({ recordsMax: 100 });
    await dispatchDue();
    await readAll(bus);
    await dispatchDue();
    expect(chunksOf(first, announced)).toEqual(chunkNumbers(40));
    expect(chunksOf(second, announced)).toEqual(chunkNumbers(26));
    expect(await recount(db, first.campaignId)).toEqual({
      groups: { pending: 8_000 },
      failures: {},
    });
    expect(await recount(db, second.campaignId)).toEqual({
      groups: { pending: 5_001 },
      failures: {},
    });
    const { rows } = await db.sql.query(
      'select distinct expanded_at is not null as is_expanded from campaigns where id = any($1)',
      [[first.campaignId, second.campaignId]],
    );
    expect(rows).toEqual([{ is_expanded: true }]);
  }, 60_000);

  test('that fails for one campaign goes on with the others', async () => {
    const { applicationId } = await createSendingApplication(db);
    const [broken, next] = [
      await accepted(1_001, applicationId),
      await accepted(1_001, applicationId),
    ];
    await db.sql.query(
      `update campaign_chunks set recipients = '{}' where campaign_id = $1 and chunk_no = 0`,
      [broken.campaignId],
    );

    await expandBulk({ db, keyedDb: db, logger }, unending);

    expect(await expandedChunks(broken)).toBe(0);
    expect(await expandedChunks(next)).toBe(6);
  }, 60_000);
});

describe('the dispatchDue of large campaigns', () => {
  test('has at most the allowed records unfinished, and continues when they are finished', async () => {
    const campaign = await accepted(2_000);
    await expandBulk({ db, keyedDb: db, logger }, unending);
    const { bus, dispatcher, announced, dispatchDue, hasCapacity } = await feeding();

    expect(hasCapacity('EMAIL')).toBe(true);
    for (let round = 0; round < 3; round += 1) await dispatchDue();
    expect(announced).toHaveLength(4);
    expect([hasCapacity('EMAIL'), hasCapacity('SMS')]).toEqual([false, true]);
    expect((await dispatcher.backlog('EMAIL', 'bulk')).unread).toBe(4);
    await readAll(bus);
    expect((await dispatcher.backlog('EMAIL', 'bulk')).unread).toBe(0);
    await dispatchDue();
    await readAll(bus);
    await dispatchDue();

    expect(chunksOf(campaign, announced)).toEqual(chunkNumbers(10));
    expect(hasCapacity('EMAIL')).toBe(true);
  }, 60_000);

  test('hears of chunks when they are expanded', async () => {
    const { campaignId } = await accepted(2_400);
    const told: DueChunk[] = [];
    await expandBulk(
      { db, keyedDb: db, logger, onChunks: (chunks) => told.push(...chunks) },
      unending,
    );

    expect(told.map(({ chunkNo }) => chunkNo).toSorted((a, b) => a - b)).toEqual(chunkNumbers(12));
    expect(
      told.every((chunk) => chunk.campaignId === campaignId && chunk.channel === 'EMAIL'),
    ).toBe(true);
  });

  test.each([1, 4])(
    'serves applications round-robin, not by arrival, with room for %i at a time',
    async (recordsMax) => {
      const first = await accepted(2_400);
      await expandBulk({ db, keyedDb: db, logger }, unending);
      const { bus, announced, dispatchDue } = await feeding({ recordsMax });
      await dispatchDue();
      const second = await accepted(1_200);
      await expandBulk({ db, keyedDb: db, logger }, unending);

      await eventually(
        async () => {
          await readAll(bus);
          await dispatchDue();
          expect(announced).toHaveLength(18);
        },
        { timeoutMs: 15_000, intervalMs: 0 },
      );

      const turns = announced.map(({ campaignId }) =>
        campaignId === first.campaignId ? 'first' : 'second',
      );
      const together = turns.slice(recordsMax, turns.lastIndexOf('second') + 1);
      expect(together.filter((owner) => owner === 'second')).toHaveLength(6);
      expect(together.length).toBeLessThanOrEqual(12);
      expect(chunksOf(first, announced)).toEqual(chunkNumbers(12));
      expect(chunksOf(second, announced)).toEqual(chunkNumbers(6));
    },
    60_000,
  );

  test('dispatches due retries, and no chunks of a paused campaign', async () => {
    const campaign = await accepted(1_001);
    await expandBulk({ db, keyedDb: db, logger }, unending);
    const { bus, announced, dispatchDue } = await feeding({ recordsMax: 10 });
    await dispatchDue();
    await readAll(bus);
    const claimed = await claimChunk(db, {
      campaignId: campaign.campaignId,
      chunkNo: 5,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 10,
    });
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      claimed.map(({ deliveryId, fence }) => ({
        deliveryId,
        fence,
        state: 'retry_wait',
        reason: 'provider_unavailable',
      })),
    );
    await db.sql.query(
      'update campaign_chunks set due_at = case when chunk_no = 5 then now() end where campaign_id = $1',
      [campaign.campaignId],
    );

    await db.sql.query(`update campaigns set status = 'paused' where id = $1`, [
      campaign.campaignId,
    ]);
    await dispatchDue();
    expect(announced).toHaveLength(6);
    await db.sql.query(`update campaigns set status = 'sending' where id = $1`, [
      campaign.campaignId,
    ]);
    await dispatchDue();

    expect(announced.slice(6).map(({ chunkNo }) => chunkNo)).toEqual([5]);
  }, 60_000);
});
