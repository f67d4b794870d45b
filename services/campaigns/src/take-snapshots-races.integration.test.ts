import { afterAll, describe, expect, test } from '@jest/globals';
import type { NewCampaign } from '@tidings/delivery/accept';
import type { Database } from '@tidings/postgres/database';
import { createOwnDatabase } from '@tidings/testing';
import { createFindMembers } from './find-members.ts';
import { campaignsHelpers } from './testing/campaigns-service.ts';
import { holdAdvisoryLock } from './testing/hold-advisory-lock.ts';
import { segmentCampaigns } from './testing/segment-campaigns.ts';

const db = await createOwnDatabase({ poolMax: 8 });
afterAll(() => db.close());
const { recordOf } = campaignsHelpers(db);
const { application, accept, takeAll, take, recipientsOf, eventsOf, control } =
  segmentCampaigns(db);

/** Stops each transaction before the statement that ends a snapshot, until `release`. */
function gatedDatabase() {
  const reached = Promise.withResolvers<number>();
  const gate = Promise.withResolvers<void>();
  const database: Database = {
    ...db,
    transaction: (work, options) =>
      db.transaction(async (sql) => {
        const query = async (text: string, values?: unknown[]) => {
          if (text.includes("'campaign.snapshot_taken'")) {
            const { rows } = await sql.query<{ pid: number }>('select pg_backend_pid() as pid');
            reached.resolve(rows[0]?.pid ?? 0);
            await gate.promise;
          }
          return sql.query(text, values);
        };
        return work({ query } as unknown as typeof sql);
      }, options),
  };
  return { database, reached: reached.promise, release: () => gate.resolve() };
}

describe('while its recipients are read', () => {
  test('cancel does not wait, and nobody gets it', async () => {
    const campaign = await accept(await application(2));
    const gated = gatedDatabase();
    const taking = take(campaign, gated);
    await gated.reached;

    expect(await control(campaign, 'cancel')).toEqual({ outcome: 'done' });
    gated.release();

    expect(await taking).toEqual({ outcome: 'gone' });
    expect(await recipientsOf(campaign)).toEqual([]);
    expect(await recordOf(campaign)).toMatchObject({ status: 'canceled', counts: { total: 0 } });
  });

  test('expiry wins over the recipients', async () => {
    const campaign = await accept(await application(2));
    const gated = gatedDatabase();
    const taking = take(campaign, gated);
    await gated.reached;

    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);
    gated.release();

    expect(await taking).toEqual({ outcome: 'gone' });
    expect(await recipientsOf(campaign)).toEqual([]);
    await control(campaign, 'cancel');
  });

  test('a process that ends after the recipients were written leaves none; the next one reads them', async () => {
    const campaign = await accept(await application(2));
    const gated = gatedDatabase();
    const taking = take(campaign, gated);
    await db.sql.query('select pg_terminate_backend($1)', [await gated.reached]);
    gated.release();

    await expect(taking).rejects.toThrow();
    expect(await recipientsOf(campaign)).toEqual([]);
    expect(await recordOf(campaign)).toMatchObject({ status: 'queued' });

    expect(await take(campaign, { retryMs: 0 })).toMatchObject({ outcome: 'taken', recipients: 2 });
    expect(await recipientsOf(campaign)).toEqual(['user 0', 'user 1']);
  });

  test('another process leaves it alone, also afterwards', async () => {
    const campaign = await accept(await application(2));
    const gated = gatedDatabase();
    const taking = take(campaign, gated);
    await gated.reached;

    expect(await take(campaign)).toEqual({ outcome: 'held' });
    gated.release();

    expect(await taking).toMatchObject({ outcome: 'taken' });
    expect(await take(campaign, { retryMs: 0 })).toEqual({ outcome: 'gone' });
    expect(await recipientsOf(campaign)).toEqual(['user 0', 'user 1']);
  });

  test('many processes at once give each recipient once', async () => {
    const applicationId = await application(30);
    const campaigns: NewCampaign[] = [];
    for (let index = 0; index < 4; index += 1) campaigns.push(await accept(applicationId));

    await Promise.all(Array.from({ length: 4 }, () => takeAll()));
    await takeAll();

    for (const campaign of campaigns) {
      const recipients = await recipientsOf(campaign);
      expect([recipients.length, new Set(recipients).size]).toEqual([30, 30]);
      expect(
        (await eventsOf(campaign)).filter((type) => type === 'campaign.snapshot_taken'),
      ).toEqual(['campaign.snapshot_taken']);
    }
  });

  test('the end of the process cancels the statement', async () => {
    const campaign = await accept(await application(1));
    const ending = new AbortController();
    await using lock = await holdAdvisoryLock(db, 4_711);
    const taking = take(campaign, {
      signal: ending.signal,
      async findMembers(sql, of) {
        const found = await createFindMembers(db, 16)(sql, of);
        const members = {
          text: 'select pg_advisory_xact_lock(4711)::text as custom_user_id',
          values: [],
        };
        return { ...found, members } as Awaited<ReturnType<ReturnType<typeof createFindMembers>>>;
      },
    });
    await lock.isAwaited();

    ending.abort();

    await expect(taking).rejects.toThrow('canceling statement');
    await control(campaign, 'cancel');
  });
});
