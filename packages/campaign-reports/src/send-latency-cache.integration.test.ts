import { afterAll, expect, test } from '@jest/globals';
import type { Sql } from '@tidings/postgres/database';
import { connectTestDatabase, createFakeClock, createSendingCampaign } from '@tidings/testing';
import { createCampaignReports } from './reports.ts';
import { createSendLatencyCache } from './send-latency-cache.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const FIVE_SECONDS = 5_000;
const RECIPIENTS = 4;

/** The database, which counts, holds and fails computations of percentiles. */
function watchedDatabase() {
  let computed = 0;
  let before = (): Promise<void> => Promise.resolve();
  const sql = {
    query: (async (text: string, ...rest: unknown[]) => {
      if (text.includes('percentile_disc')) {
        computed += 1;
        await before();
      }
      return (db.sql.query as (...all: unknown[]) => unknown)(text, ...rest);
    }) as Sql['query'],
  };
  return {
    db: { ...db, sql },
    computed: () => computed,
    beforeComputing: (work: () => Promise<void>) => void (before = work),
  };
}

/** A campaign whose recipients were all sent to. */
async function sentCampaign() {
  const { applicationId, campaignId } = await createSendingCampaign(db, { count: RECIPIENTS });
  const sentAfter = (milliseconds: number) =>
    db.sql.query(
      `update deliveries d set state = 'sent', sent_at = c.created_at + $2 * interval '1 ms'
       from campaigns c where d.campaign_id = $1 and c.id = $1`,
      [campaignId, milliseconds],
    );
  await sentAfter(100);
  await db.sql.query(
    `insert into campaign_counters (campaign_id, state, reason, shard, n, first_at, last_at)
     values ($1, 'sent', '', 0, $2, now(), now())`,
    [campaignId, RECIPIENTS],
  );
  return { applicationId, campaignId, sentAfter };
}

async function cachedLatency() {
  const { campaignId, sentAfter } = await sentCampaign();
  const { db: watched, ...computing } = watchedDatabase();
  const clock = createFakeClock();
  const cached = createSendLatencyCache(clock);
  const find = (id = campaignId) => cached(watched.sql, { id, recipientsUnique: RECIPIENTS });
  return { ...computing, clock, find, sentAfter };
}

const ALL_AFTER_100 = { p50Ms: 100, p95Ms: 100 };

test('however often a report is read, its percentiles are computed once in 5 s, and then anew', async () => {
  const { applicationId, campaignId, sentAfter } = await sentCampaign();
  const { db: watched, computed } = watchedDatabase();
  const clock = createFakeClock();
  const reports = createCampaignReports({ db: watched, clock });
  const p95 = async () => (await reports.read(applicationId, campaignId))?.timing.p95Ms;
  const p95OfProgress = async () =>
    (await reports.readProgress(applicationId, campaignId))?.timing.p95Ms;
  expect(await p95()).toBe(100);
  await sentAfter(250);

  expect([await p95(), await p95OfProgress()]).toEqual([100, 100]);
  clock.advance(FIVE_SECONDS - 1);
  expect([await p95(), await p95OfProgress()]).toEqual([100, 100]);
  expect(computed()).toBe(1);

  clock.advance(1);
  expect([await p95(), await p95OfProgress()]).toEqual([250, 250]);
  expect(computed()).toBe(2);
});

test('another application reads nothing of it from memory', async () => {
  const { applicationId, campaignId } = await sentCampaign();
  const other = await sentCampaign();
  const reports = createCampaignReports({ db, clock: createFakeClock() });
  await reports.read(applicationId, campaignId);

  expect(await reports.read(other.applicationId, campaignId)).toBeNull();
});

test('concurrent reads share one computation, also one that takes longer than 5 s', async () => {
  const { clock, computed, beforeComputing, find } = await cachedLatency();
  const { promise, resolve } = Promise.withResolvers<void>();
  beforeComputing(() => promise);

  const first = find();
  clock.advance(2 * FIVE_SECONDS);
  const others = Array.from({ length: 20 }, () => find());
  resolve();

  expect(await Promise.all([first, ...others])).toEqual(Array(21).fill(ALL_AFTER_100));
  expect(computed()).toBe(1);
  await find();
  expect(computed()).toBe(2);
});

test('an error is not kept: the next read computes', async () => {
  const { computed, beforeComputing, find } = await cachedLatency();
  beforeComputing(() => Promise.reject(new Error('Postgres is away')));
  const results = await Promise.allSettled([find(), find()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(computed()).toBe(1);

  beforeComputing(() => Promise.resolve());

  expect(await find()).toEqual(ALL_AFTER_100);
  expect(computed()).toBe(2);
});

test('it holds a bounded number of campaigns: after 1,000 others it computes anew', async () => {
  const { computed, find } = await cachedLatency();
  const unknownId = (n: number) => `00000000-0000-0000-0000-${String(n).padStart(12, '0')}`;
  await find();

  for (let n = 1; n < 1_000; n += 1) await find(unknownId(n));
  await find(unknownId(1));
  expect(computed()).toBe(1_000);
  await find(unknownId(1_000));

  expect(await find()).toEqual(ALL_AFTER_100);
  expect(computed()).toBe(1_002);
});
