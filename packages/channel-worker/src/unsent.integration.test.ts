import { afterAll, expect, test } from '@jest/globals';
import type { NewCampaign } from '@tidings/delivery/accept';
import { claimChunk, readDueRows, type ClaimedDelivery } from '@tidings/delivery/claims';
import { connectTestDatabase, createSendingCampaign } from '@tidings/testing';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';
import { changeUnsent, releaseUnsent } from './unsent.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const CLAIM = { chunkNo: 0, leaseMs: 60_000, rowsMax: 100 };
const MINUTE_MS = 60_000;
const worker = testWorker(db, scriptedChannel());

const read = ({ campaignId }: NewCampaign) => readDueRows(db, { ...CLAIM, campaignId });
const claimByAnother = ({ campaignId }: NewCampaign) =>
  claimChunk(db, { ...CLAIM, campaignId, owner: 'other' });
const fail = (rows: readonly ClaimedDelivery[]) =>
  changeUnsent(
    worker,
    { lane: 'bulk', isHeard: false },
    {
      rows,
      changes: rows.map(({ deliveryId, fence }) => ({
        deliveryId,
        fence,
        state: 'failed' as const,
        reason: 'no_address' as const,
      })),
    },
  );

async function rowsOf({ campaignId }: NewCampaign) {
  const { rows } = await db.sql.query<{ state: string; fence: number; minutes: number }>(
    `select state, fence, round(extract(epoch from next_at - now()) / 60)::int as minutes from deliveries where campaign_id = $1 order by id`,
    [campaignId],
  );
  return rows;
}

test('rows that were read are settled without a send', async () => {
  const campaign = await createSendingCampaign(db, { count: 2 });

  await fail(await read(campaign));

  expect(await rowsOf(campaign)).toMatchObject([
    { state: 'failed', fence: 1 },
    { state: 'failed', fence: 1 },
  ]);
});

test('rows that were read keep what another makes of them', async () => {
  const campaign = await createSendingCampaign(db, { count: 2 });
  const rows = await read(campaign);
  // Its fence is the one that the rows were read with.
  await claimByAnother(campaign);

  await fail(rows);
  await releaseUnsent(worker, 'bulk', { rows, delaysMs: MINUTE_MS });

  expect(await rowsOf(campaign)).toMatchObject([
    { state: 'claimed', fence: 1, minutes: 0 },
    { state: 'claimed', fence: 1, minutes: 0 },
  ]);
});

test('rows that were read are due after their delays; those that are due now are not written', async () => {
  const campaign = await createSendingCampaign(db, { count: 3 });
  const rows = await read(campaign);

  await releaseUnsent(worker, 'bulk', { rows, delaysMs: [0, MINUTE_MS, 2 * MINUTE_MS] });

  expect(await rowsOf(campaign)).toEqual([
    { state: 'pending', fence: 0, minutes: 0 },
    { state: 'pending', fence: 1, minutes: 1 },
    { state: 'pending', fence: 1, minutes: 2 },
  ]);
});

test('rows that were claimed are released, also if they are due now', async () => {
  const campaign = await createSendingCampaign(db);

  await releaseUnsent(worker, 'bulk', { rows: await claimByAnother(campaign), delaysMs: 0 });

  expect(await rowsOf(campaign)).toEqual([{ state: 'pending', fence: 1, minutes: 0 }]);
});

test('a worker sends a chunk in bulk as in the express lane, and fails what has no address', async () => {
  const campaign = await createSendingCampaign(db, { count: 25 });
  await db.sql.query(`update campaigns set lane = 'bulk' where id = $1`, [campaign.campaignId]);
  await db.sql.query(
    `update users set fields = '{}' where id in (select user_id from deliveries where campaign_id = $1 order by id limit 3)`,
    [campaign.campaignId],
  );
  const channel = scriptedChannel();

  await sendChunk(
    testWorker(db, channel, { concurrency: 5 }),
    { campaignId: campaign.campaignId, chunkNo: 0 },
    new AbortController().signal,
  );

  expect(channel.calls).toHaveLength(22);
  expect(new Set(channel.calls.map(({ fence }) => fence))).toEqual(new Set([1]));
  const states = (await rowsOf(campaign)).map(({ state }) => state);
  expect(states).toEqual([
    ...Array.from({ length: 3 }, () => 'failed'),
    ...Array.from({ length: 22 }, () => 'sent'),
  ]);
});
