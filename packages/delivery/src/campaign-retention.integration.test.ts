import { afterAll, describe, expect, jest, test } from '@jest/globals';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import {
  createOwnDatabase,
  createPushCampaign,
  createSendingCampaign,
  someDevices,
} from '@tidings/testing';
import { recordLinkHits } from '@tidings/link-hits/link-hits';
import { beginRecipientPurge, deleteRecipientRows, purgeCampaigns } from './campaign-retention.ts';
import { changeDeliveryStates, targetOf } from './change-states.ts';
import { claimChunk } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { controlCampaign } from './control.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { reconcileCounters } from './reconcile.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';

// A database of its own, because campaigns of all applications are read.
jest.setTimeout(120_000);
const db = await createOwnDatabase();
afterAll(() => db.close());

const DAYS = 90;
type Kind = {
  readonly channel?: 'EMAIL' | 'WEB_PUSH';
  readonly count?: number;
  readonly ageDays?: number;
  readonly status?: string;
  readonly states?: readonly DeliveryState[];
};

/** A campaign sent `days` ago that reached the given status. */
async function createOldCampaign({
  channel = 'EMAIL',
  count = 2,
  ageDays = 100,
  status = 'completed',
  states = ['sent', 'failed'],
}: Kind = {}) {
  const { rows } = await db.sql.query<{ id: string }>(
    `select uuidv7(-$1::float8 * interval '1 day') as id`,
    [ageDays],
  );
  const campaignId = String(rows[0]?.id);
  const overrides = {
    campaignId,
    createdAt: Date.now() - ageDays * 86_400_000,
    expiresAt: Date.now() + 60_000,
  };
  const { applicationId } =
    channel === 'EMAIL'
      ? await createSendingCampaign(db, { ...overrides, count })
      : await createPushCampaign(db, { ...overrides, devices: someDevices(2, 1) });
  for (let chunkNo = 0; chunkNo * 200 < count; chunkNo += 1) {
    const claimed = await claimChunk(db, {
      channel,
      campaignId,
      chunkNo,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 500,
    });
    await markSending(db, claimed, 60_000);
    const changes = claimed.map((send, at) => ({
      ...targetOf(send),
      fence: send.fence,
      state: states[at % states.length] ?? 'sent',
      ...(states[at % states.length] === 'failed' && { reason: 'provider_rejected' as const }),
    }));
    await changeDeliveryStates(db.sql, ['sending'], changes);
  }
  await db.sql.query(
    `update campaigns set status = $2, completed_at = case when $2 = 'completed' then now() end, expires_at = created_at + interval '1 day' where id = $1`,
    [campaignId, status],
  );
  return {
    applicationId,
    campaignId,
    read: () => readCampaign(db, applicationId, campaignId),
    rowCounts: async () => {
      const tables = ['campaign_chunks', 'deliveries', 'delivery_addresses', 'campaign_events'];
      const counted = await Promise.all(
        tables.map((table) =>
          db.sql.query<{ n: number }>(
            `select count(*)::int as n from ${table} where campaign_id = $1`,
            [campaignId],
          ),
        ),
      );
      return counted.map((result) => result.rows[0]?.n);
    },
  };
}

async function forgetAll(limit = 2_000): Promise<number[]> {
  await beginRecipientPurge(db, { days: DAYS, limit: 100 });
  const steps: number[] = [];
  for (;;) {
    const { deleted, hasMore } = await deleteRecipientRows(db, limit);
    if (!hasMore) return steps;
    steps.push(deleted);
  }
}

describe('what became of each recipient goes when the campaign is past its retention', () => {
  test.each<[string, Kind, readonly (number | undefined)[]]>([
    ['completed', {}, [0, 0, 0, 0]],
    ['canceled', { status: 'canceled' }, [0, 0, 0, 0]],
    ['of pushes, with every address', { channel: 'WEB_PUSH' }, [0, 0, 0, 0]],
  ])(
    '%s: no row is left, and the report says the same numbers and that they are gone',
    async (_name, kind, left) => {
      const campaign = await createOldCampaign(kind);
      const before = await campaign.read();
      const [delivery] = await listDeliveries(db, campaign.campaignId, { limit: 1 });
      await recordLinkHits(db, [
        { deliveryId: String(delivery?.deliveryId), kind: 'open', isMachine: false },
      ]);

      await forgetAll();

      expect(before).toMatchObject({ recipientsDeletedAt: null, counts: { total: 2 } });
      expect(before?.counts.successful).toBeGreaterThan(0);
      expect(await campaign.rowCounts()).toEqual(left);
      expect(await campaign.read()).toEqual({
        ...before,
        recipientsDeletedAt: expect.any(Number),
      });
      expect(await listDeliveries(db, campaign.campaignId, { limit: 10 })).toEqual([]);
      expect(await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).toEqual([]);
      expect(
        (
          await db.sql.query('select from link_visits where delivery_id = $1', [
            delivery?.deliveryId,
          ])
        ).rowCount,
      ).toBe(0);
    },
  );

  test('the percentiles of a campaign that never completed stay in its report, though they were computed of the rows', async () => {
    const campaign = await createOldCampaign({ status: 'canceled', states: ['sent'] });
    const before = await campaign.read();

    await forgetAll();

    expect(before?.timing.p95Ms).toEqual(expect.any(Number));
    expect((await campaign.read())?.timing).toEqual(before?.timing);
  });

  test('one of many recipients keeps the very percentiles of its report, of which no step looks at more deliveries than it may', async () => {
    const large = await createOldCampaign({ status: 'canceled', states: ['sent'], count: 30 });
    const [small, other] = [
      await createOldCampaign({ status: 'canceled', states: ['sent'] }),
      await createOldCampaign(),
    ];
    // As if each delivery were a chunk of a campaign of 30,000 recipients, of which every third
    // chunk is sampled.
    await db.sql.query(
      `update deliveries d set chunk_no = n.n - 1, sent_at = c.created_at + n.n * n.n * interval '10 ms'
       from campaigns c, (select id, row_number() over (order by id) as n from deliveries where campaign_id = $1) n where n.id = d.id and c.id = $1`,
      [large.campaignId],
    );
    await db.sql.query('update campaigns set recipients_unique = 30000 where id = $1', [
      large.campaignId,
    ]);
    const before = await large.read();
    const steps = [];
    for (let step = { begun: 0, hasMore: true }; step.hasMore; steps.push(step))
      step = await beginRecipientPurge(db, { days: DAYS, limit: 100, scannedMax: 10_001 });

    // The 10,000 of the large campaign and two of each other exceed one step.
    expect(steps.map(({ begun }) => begun)).toEqual([1, 2]);
    expect(before?.timing).toMatchObject({ p50Ms: 13 * 13 * 10, p95Ms: 28 * 28 * 10 });
    expect((await large.read())?.timing).toEqual(before?.timing);
    expect(
      await Promise.all(
        [small, other].map(async ({ read }) => (await read())?.recipientsDeletedAt),
      ),
    ).toEqual([expect.any(Number), expect.any(Number)]);
    await forgetAll();
  });

  test.each<[string, Kind, (id: string) => Promise<unknown>]>([
    ['a younger one', { ageDays: 80 }, async () => undefined],
    ['one that is still sent', { status: 'sending' }, async () => undefined],
    ['one that is paused', { status: 'paused' }, async () => undefined],
    [
      'one whose failures were lately tried again',
      {},
      (id) =>
        db.sql.query(`update campaigns set retried_at = now() - interval '80 days' where id = $1`, [
          id,
        ]),
    ],
    [
      'one that has not expired',
      {},
      (id) =>
        db.sql.query(`update campaigns set expires_at = now() + interval '1 hour' where id = $1`, [
          id,
        ]),
    ],
  ])('%s keeps all', async (_name, kind, prepare) => {
    const campaign = await createOldCampaign(kind);
    await prepare(campaign.campaignId);
    const before = [await campaign.rowCounts(), await campaign.read()];

    await forgetAll();

    expect([await campaign.rowCounts(), await campaign.read()]).toEqual(before);
  });

  test('in bounded steps; interrupted work continues', async () => {
    const campaign = await createOldCampaign({ count: 450 });
    await beginRecipientPurge(db, { days: DAYS, limit: 100 });
    const first = await deleteRecipientRows(db, 200);

    const steps = [first.deleted, ...(await forgetAll(200))];

    expect(Math.max(...steps)).toBeLessThanOrEqual(200);
    expect(steps.filter((deleted) => deleted > 0).length).toBeGreaterThanOrEqual(5);
    expect(await campaign.rowCounts()).toEqual([0, 0, 0, 0]);
  });

  test('small campaigns go together', async () => {
    const campaigns = [
      await createOldCampaign(),
      await createOldCampaign(),
      await createOldCampaign(),
    ];
    await beginRecipientPurge(db, { days: DAYS, limit: 100 });

    await deleteRecipientRows(db, 6);

    expect(await Promise.all(campaigns.map(({ rowCounts }) => rowCounts()))).toEqual(
      campaigns.map(() => [0, 0, 0, 0]),
    );
    expect(await deleteRecipientRows(db, 6)).toEqual({ deleted: 0, hasMore: false });
  });

  test('its failures are not tried again from the moment on in which they begin to go', async () => {
    const campaign = await createOldCampaign();
    const retryFailed = () =>
      controlCampaign(db, {
        applicationId: campaign.applicationId,
        campaignId: campaign.campaignId,
        action: 'retry-failed',
        actor: 'test',
      });
    await beginRecipientPurge(db, { days: DAYS, limit: 100 });

    expect(await retryFailed()).toEqual({ outcome: 'recipients_forgotten' });

    await forgetAll();
    expect(await retryFailed()).toEqual({ outcome: 'recipients_forgotten' });
    expect((await campaign.read())?.status).toBe('completed');
  });

  test('a recount finds no counter wrong that has no rows any more', async () => {
    await createOldCampaign();
    await forgetAll();

    const { differences } = await reconcileCounters(db, null, {
      campaignsMax: 500,
      recipientsMax: 100_000,
      days: 3,
    });

    expect(differences).toEqual([]);
  });
});

describe('a campaign goes with its report when that is past its retention', () => {
  test('after its recipients, and not before', async () => {
    const [old, younger, unforgotten] = [
      await createOldCampaign({ ageDays: 800 }),
      await createOldCampaign({ ageDays: 700 }),
      await createOldCampaign({ ageDays: 800, status: 'paused' }),
    ];
    expect(await purgeCampaigns(db, { days: 730, limit: 100 }, () => Promise.resolve())).toBe(0);
    await forgetAll();

    expect(await purgeCampaigns(db, { days: 730, limit: 100 }, () => Promise.resolve())).toBe(1);

    expect([
      await old.read(),
      (await younger.read())?.status,
      (await unforgotten.read())?.status,
    ]).toEqual([null, 'completed', 'paused']);
    expect(
      (await db.sql.query('select from campaign_counters where campaign_id = $1', [old.campaignId]))
        .rowCount,
    ).toBe(0);
  });
});
