import { afterAll, expect, test } from '@jest/globals';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { metricsRegistry } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createRecordingLogger,
  createSendingApplication,
  createSendingCampaign,
} from '@tidings/testing';
import { runOnce } from '../testing/run-once.ts';
import { campaignCounters } from './campaign-counters.ts';

// A separate database: the job reads all campaigns.
const db = await createOwnDatabase();
afterAll(() => db.close());

const SETTINGS = { reconcileIntervalMs: 30_000 };
const BOUNDS = { campaignsMax: 2, recipientsMax: 1_000, days: 3 };

const falsify = (campaignId: string, state: string, by: number) =>
  db.sql.query('update campaign_counters set n = n + $3 where campaign_id = $1 and state = $2', [
    campaignId,
    state,
    by,
  ]);
const countedTotal = async (): Promise<number> => {
  const metric = await metricsRegistry
    .getSingleMetric('tidings_campaign_counter_differences_total')
    ?.get();
  return metric?.values[0]?.value ?? 0;
};

/** Checks all campaigns once, and returns the log entries. */
async function checkAll(database: Database, bounds = BOUNDS): Promise<Record<string, unknown>[]> {
  const { logger, lines } = createRecordingLogger();
  const job = campaignCounters(SETTINGS, bounds);
  const { rows } = await db.sql.query<{ n: number }>('select count(*)::int as n from campaigns');
  for (let step = 0; step <= Number(rows[0]?.n); step += 1)
    await runOnce(job, { db: database, logger });
  return lines.filter(({ level }) => level === 'error' || level === 50);
}

test('wrong counters are logged with both values and counted in a metric; nothing is repaired', async () => {
  const { applicationId } = await createSendingApplication(db);
  const right = await createSendingCampaign(db, { applicationId, count: 5 });
  const wrong = await createSendingCampaign(db, { applicationId, count: 5 });
  const [failed] = await claimChunk(db, {
    campaignId: wrong.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  if (failed === undefined) throw new Error('not claimed');
  await changeDeliveryStates(
    db.sql,
    ['claimed'],
    [{ deliveryId: failed.deliveryId, fence: failed.fence, state: 'failed', reason: 'no_address' }],
  );
  expect(await checkAll(db)).toEqual([]);
  const before = await countedTotal();
  await falsify(wrong.campaignId, 'failed', 2);
  await falsify(wrong.campaignId, 'pending', -1);

  const { logger, lines } = createRecordingLogger();
  await runOnce(campaignCounters(SETTINGS, { ...BOUNDS, campaignsMax: 100 }), { db, logger });

  expect(lines).toMatchObject([
    {
      campaignId: wrong.campaignId,
      counter: 'failed:no_address',
      counted: 3,
      recounted: 1,
      msg: 'counter of a campaign differs from a recount',
    },
    { campaignId: wrong.campaignId, counter: 'pending', counted: 3, recounted: 4 },
  ]);
  expect(await countedTotal()).toBe(before + 2);
  expect(lines.some(({ campaignId }) => campaignId === right.campaignId)).toBe(false);
  const { rows } = await db.sql.query<{ n: string }>(
    `select sum(n) as n from campaign_counters where campaign_id = $1 and state = 'failed'`,
    [wrong.campaignId],
  );
  expect(Number(rows[0]?.n)).toBe(3);
}, 60_000);

test('a missing counter, or one that counts nothing, is found too', async () => {
  const missing = await createSendingCampaign(db, { count: 3 });
  const invented = await createSendingCampaign(db, { count: 3 });
  await db.sql.query('delete from campaign_counters where campaign_id = $1', [missing.campaignId]);
  await db.sql.query(`update campaign_counters set state = 'sent' where campaign_id = $1`, [
    invented.campaignId,
  ]);

  const lines = await checkAll(db);

  const of = ({ campaignId }: { readonly campaignId: string }) =>
    lines
      .filter((line) => line['campaignId'] === campaignId)
      .map(({ counter, counted, recounted }) => ({ counter, counted, recounted }));
  expect(of(missing).slice(0, 1)).toEqual([{ counter: 'pending', counted: 0, recounted: 3 }]);
  expect(of(invented).slice(0, 2)).toEqual([
    { counter: 'pending', counted: 0, recounted: 3 },
    { counter: 'sent', counted: 3, recounted: 0 },
  ]);
}, 60_000);

test('every campaign is checked step by step, large ones too, and then again from the first', async () => {
  await using own = await ownDatabase();
  for (let made = 0; made < 3; made += 1) await createSendingCampaign(own.db, { count: 3 });
  const large = await createSendingCampaign(own.db, { count: 12 });
  await own.db.sql.query(`update campaigns set status = 'completed'`);
  await own.db.sql.query(`update campaign_counters set n = n + 1 where campaign_id = $1`, [
    large.campaignId,
  ]);
  const { logger, lines } = createRecordingLogger();
  const job = campaignCounters(SETTINGS, { campaignsMax: 2, recipientsMax: 6, days: 3 });

  const found: number[] = [];
  for (let step = 0; step < 8; step += 1) {
    await runOnce(job, { db: own.db, logger });
    found.push(lines.length);
  }

  // Two small ones, the third, the large one, the end; then the same again.
  expect(found).toEqual([0, 0, 1, 1, 1, 1, 2, 2]);
}, 60_000);

test('a campaign that ended long ago is skipped, a running one is not', async () => {
  const longAgo = '018f0000-0000-7000-8000-00000000000';
  const { applicationId } = await createSendingApplication(db);
  for (const n of [1, 2]) {
    const { campaignId } = await createSendingCampaign(db, {
      applicationId,
      count: 1,
      campaignId: `${longAgo}${n}`,
    });
    await falsify(campaignId, 'pending', 1);
  }
  await db.sql.query(`update campaigns set status = 'completed' where id = $1`, [`${longAgo}1`]);

  const found = (await checkAll(db))
    .map(({ campaignId }) => String(campaignId))
    .filter((id) => id.startsWith(longAgo));

  expect(new Set(found)).toEqual(new Set([`${longAgo}2`]));
}, 60_000);

async function ownDatabase() {
  const own = await createOwnDatabase();
  return { db: own, [Symbol.asyncDispose]: () => own.close() };
}
