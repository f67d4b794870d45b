import { afterAll, expect, test } from '@jest/globals';
import type { Database } from '@tidings/postgres/database';
import {
  connectTestDatabase,
  createSendingApplication,
  createSendingCampaign,
  untilBlockedBy,
} from '@tidings/testing';
import { createChunkStatements } from './chunk-statements.ts';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const SETTINGS = {
  channel: 'EMAIL',
  owner: 'worker',
  leaseMs: 60_000,
  rowsMax: 10,
  sendLeaseMs: 60_000,
} as const;

/** The database, and the statements that it was given. */
function listening(): { readonly heard: Database; readonly texts: string[] } {
  const texts: string[] = [];
  const query = (...args: unknown[]): unknown => {
    texts.push(String(args[0]));
    return (db.sql.query as (...all: unknown[]) => unknown).apply(db.sql, args);
  };
  return { heard: { ...db, sql: { query: query as Database['sql']['query'] } }, texts };
}

test('small campaigns that are at work together are claimed and marked by a few statements, and each is sent once', async () => {
  const { applicationId } = await createSendingApplication(db);
  const campaigns = await Promise.all(
    Array.from({ length: 40 }, () => createSendingCampaign(db, { applicationId })),
  );
  const { heard, texts } = listening();
  const channel = scriptedChannel();
  const worker = testWorker(heard, channel, { concurrency: 50 });

  await Promise.all(
    campaigns.map(({ campaignId }) =>
      sendChunk(worker, { campaignId, chunkNo: 0 }, new AbortController().signal),
    ),
  );

  expect(channel.calls.map(({ campaignId }) => campaignId).toSorted()).toEqual(
    campaigns.map(({ campaignId }) => campaignId).toSorted(),
  );
  expect(texts.filter((text) => text.includes("set state = 'claimed'")).length).toBeLessThan(
    campaigns.length / 2,
  );
  expect(texts.filter((text) => text.includes("set state = 'sending'")).length).toBeLessThan(
    campaigns.length / 2,
  );
});

test('what is at work together of a large campaign is marked by few statements', async () => {
  const { campaignId } = await createSendingCampaign(db, { count: 1_200 });
  const { heard, texts } = listening();
  const { bulk } = createChunkStatements(heard, SETTINGS);
  const claimed = await Promise.all(
    Array.from({ length: 6 }, (_, chunkNo) => bulk.claim({ campaignId, chunkNo })),
  );

  const marked = await Promise.all(
    claimed.map(({ deliveries }) => bulk.markSending(deliveries, campaignId)),
  );

  expect(marked.map(({ size }) => size)).toEqual(claimed.map(() => 10));
  expect(texts.filter((text) => text.includes("set state = 'sending'")).length).toBeLessThanOrEqual(
    2,
  );
});

test('a large campaign whose chunks are locked keeps no other from being marked', async () => {
  const [locked, other] = await Promise.all([
    createSendingCampaign(db, { count: 3 }),
    createSendingCampaign(db, { count: 3 }),
  ]);
  const { bulk } = createChunkStatements(db, SETTINGS);
  const claim = async (campaignId: string) =>
    (await bulk.claim({ campaignId, chunkNo: 0 })).deliveries;
  const [held, free] = [await claim(locked.campaignId), await claim(other.campaignId)];
  let waiting: Promise<ReadonlySet<string>> | undefined;

  await db.transaction(async (sql) => {
    await sql.query('select from campaign_chunks where campaign_id = $1 for update', [
      locked.campaignId,
    ]);
    waiting = bulk.markSending(held, locked.campaignId);
    await untilBlockedBy(db, sql);

    expect((await bulk.markSending(free, other.campaignId)).size).toBe(3);
  });

  expect((await waiting)?.size).toBe(3);
});

test('of two who ask for one chunk at the same time one gets its rows', async () => {
  const { campaignId } = await createSendingCampaign(db, { count: 3 });
  const { express } = createChunkStatements(db, SETTINGS);

  const claimed = await Promise.all([1, 2, 3].map(() => express.claim({ campaignId, chunkNo: 0 })));

  expect(claimed.map(({ deliveries }) => deliveries.length).toSorted()).toEqual([0, 0, 3]);
  const rows = claimed.flatMap(({ deliveries }) => deliveries);
  const marked = await Promise.all([
    express.markSending(rows, campaignId),
    express.markSending(rows, campaignId),
  ]);
  expect(marked.map((ids) => ids.size).toSorted()).toEqual([0, 3]);
});

test('when the database goes away every caller gets the error', async () => {
  const { campaignId } = await createSendingCampaign(db);
  const query = () => Promise.reject(new Error('the database is away'));
  const { express } = createChunkStatements(
    { ...db, sql: { query: query as unknown as Database['sql']['query'] } },
    SETTINGS,
  );
  const chunk = { campaignId, chunkNo: 0 };

  const results = await Promise.allSettled([
    express.claim(chunk),
    express.claim(chunk),
    express.markSending([{ deliveryId: campaignId, fence: 1 }], campaignId),
    express.schedule(chunk),
  ]);

  expect(results).toEqual(
    results.map(() => ({ status: 'rejected', reason: new Error('the database is away') })),
  );
});
