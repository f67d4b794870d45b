import { afterAll, describe, expect, test } from '@jest/globals';
import type { DeliveryState } from '@tidings/contracts';
import { updateApplication } from '@tidings/people/update-application';
import {
  configureChannel,
  createOwnDatabase,
  createSendingApplication,
  createSendingCampaign,
  createTestApplication,
  expandAll,
  newCampaign,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import { changeDeliveryStates } from './change-states.ts';
import { markSending, claimChunk } from './claims.ts';
import { listCampaignEvents } from './list-campaign-events.ts';
import { listDeliveries } from './list-deliveries.ts';
import { readCampaign } from './reports.ts';
import {
  campaignsToExpand,
  completeCampaigns,
  expireCampaigns,
  expireSendingLeases,
  ROWS_PER_SWEEP,
} from './sweeps.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

const report = ({ applicationId, campaignId }: NewCampaign) =>
  readCampaign(db, applicationId, campaignId);
async function expanded(
  overrides: Partial<NewCampaign> & Pick<NewCampaign, 'applicationId'>,
): Promise<NewCampaign> {
  const campaign = newCampaign(overrides);
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return campaign;
}

const claimAll = ({ campaignId }: NewCampaign) =>
  claimChunk(db, { campaignId, chunkNo: 0, owner: 'worker', leaseMs: 60_000, rowsMax: 200 });

async function endLeases({ campaignId }: NewCampaign): Promise<void> {
  await db.sql.query(
    `update deliveries set lease_until = now() - interval '1 ms' where campaign_id = $1 and lease_until is not null`,
    [campaignId],
  );
  await db.sql.query(
    `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1 and leased_until is not null`,
    [campaignId],
  );
}

async function leasesOfChunk({ campaignId }: NewCampaign): Promise<number | null> {
  const { rows } = await db.sql.query<{ seconds: number | null }>(
    'select round(extract(epoch from leased_until - now()))::int as seconds from campaign_chunks where campaign_id = $1',
    [campaignId],
  );
  return rows[0]?.seconds ?? null;
}

async function allRows(sweep: () => Promise<number>): Promise<void> {
  while ((await sweep()) >= ROWS_PER_SWEEP);
}

describe('a send whose worker is gone', () => {
  test('is found by its chunk: from the marking on, and while rows of it may be marked', async () => {
    const campaign = await createSendingCampaign(db, { count: 3 });
    expect(await leasesOfChunk(campaign)).toBeNull();
    const [first, second, third] = await claimAll(campaign);
    if (!first || !second || !third) throw new Error('not claimed');
    await markSending(db, [first], 60_000);
    await markSending(db, [second], 90_000);
    expect(await leasesOfChunk(campaign)).toBe(60);
    await markSending(db, [third], 40_000);
    expect(await leasesOfChunk(campaign)).toBe(40);

    await db.sql.query(
      `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1`,
      [campaign.campaignId],
    );
    await expireSendingLeases(db);
    expect(await leasesOfChunk(campaign)).toBe(30);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [first, second, third].map(({ deliveryId, fence }) => ({ deliveryId, fence, state: 'sent' })),
    );
    await completeCampaigns(db);
    await db.sql.query(
      `update campaign_chunks set leased_until = now() - interval '1 ms' where campaign_id = $1`,
      [campaign.campaignId],
    );
    await expireSendingLeases(db);
    expect(await leasesOfChunk(campaign)).toBeNull();
  });

  test('is unknown when its lease ended, once, and never pending again', async () => {
    const campaign = await createSendingCampaign(db, { count: 3 });
    const claimed = await claimAll(campaign);
    await markSending(db, claimed.slice(0, 2), 60_000);
    await allRows(() => expireSendingLeases(db));
    expect(await report(campaign)).toMatchObject({ counts: { pending: 3, unknown: 0 } });

    await endLeases(campaign);
    await allRows(() => expireSendingLeases(db));
    await allRows(() => expireSendingLeases(db));

    expect(await report(campaign)).toMatchObject({ counts: { total: 3, pending: 1, unknown: 2 } });
    const unknown = (await listDeliveries(db, campaign.campaignId, { limit: 5 }))
      .filter(({ status }) => status === 'unknown')
      .map(({ reason, attempts }) => [reason, attempts]);
    expect(unknown).toEqual([
      ['outcome_unknown', 1],
      ['outcome_unknown', 1],
    ]);
    expect(await claimAll(campaign)).toHaveLength(1);
  });
});

describe('a campaign past its expiry', () => {
  const expire = ({ campaignId }: NewCampaign) =>
    db.sql.query('update campaigns set expires_at = now() where id = $1', [campaignId]);

  test('expires unsent deliveries, and none that may have been sent', async () => {
    const campaign = await createSendingCampaign(db, { count: 5 });
    const [retried, sending, held, abandoned] = await claimAll(campaign);
    if (!retried || !sending || !held || !abandoned) throw new Error('not claimed');
    await markSending(db, [retried, sending], 60_000);
    await changeDeliveryStates(
      db.sql,
      ['sending'],
      [
        {
          deliveryId: retried.deliveryId,
          fence: retried.fence,
          state: 'retry_wait',
          delayMs: 3_600_000,
        },
      ],
    );
    await db.sql.query(`update deliveries set lease_until = now() - interval '1 s' where id = $1`, [
      abandoned.deliveryId,
    ]);
    await db.sql.query(
      `update deliveries set state = 'pending', owner = null where campaign_id = $1 and state = 'claimed' and id <> all($2)`,
      [campaign.campaignId, [held.deliveryId, abandoned.deliveryId]],
    );

    await allRows(() => expireCampaigns(db));
    expect(await report(campaign)).toMatchObject({ counts: { pending: 5, expired: 0 } });
    await expire(campaign);
    await allRows(() => expireCampaigns(db));

    expect(await report(campaign)).toMatchObject({ counts: { total: 5, expired: 3, pending: 2 } });
    expect(
      (await listDeliveries(db, campaign.campaignId, { limit: 9 }))
        .map(({ status }) => status)
        .toSorted(),
    ).toEqual(['claimed', 'expired', 'expired', 'expired', 'sending']);
  });

  test.each(['queued', 'paused'])('also when it is %s', async (status) => {
    const campaign = await createSendingCampaign(db);
    await db.sql.query('update campaigns set status = $2 where id = $1', [
      campaign.campaignId,
      status,
    ]);
    await expire(campaign);

    await allRows(() => expireCampaigns(db));

    expect(await report(campaign)).toMatchObject({ counts: { expired: 1, pending: 0 } });
  });

  test('is cleared in bounded steps, however large', async () => {
    const campaign = await createSendingCampaign(db, { count: ROWS_PER_SWEEP + 500 });
    await expire(campaign);

    expect(await expireCampaigns(db)).toBeLessThanOrEqual(ROWS_PER_SWEEP);
    await allRows(() => expireCampaigns(db));

    expect(await report(campaign)).toMatchObject({
      counts: { expired: ROWS_PER_SWEEP + 500, pending: 0 },
    });
  });
});

describe('a campaign is completed', () => {
  const settle = async (campaign: NewCampaign, states: readonly DeliveryState[]): Promise<void> => {
    const claimed = await claimAll(campaign);
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      claimed.map(({ deliveryId, fence }, index) => ({
        deliveryId,
        fence,
        state: states[index] ?? 'sent',
        ...(states[index] === 'failed' && { reason: 'no_address' as const }),
      })),
    );
  };

  test('when every delivery is settled or waits for its user, once, with its log entry', async () => {
    const campaign = await createSendingCampaign(db, { count: 6 });
    await settle(campaign, ['sent', 'failed', 'unknown', 'expired', 'canceled', 'waiting']);

    await completeCampaigns(db);
    await completeCampaigns(db);

    expect(await report(campaign)).toMatchObject({
      status: 'completed',
      counts: {
        total: 6,
        pending: 0,
        successful: 1,
        failed: 1,
        unknown: 1,
        expired: 1,
        canceled: 1,
        waiting: 1,
      },
      timing: { completedAt: expect.any(Number), durationMs: expect.any(Number) },
    });
    const events = await listCampaignEvents(db, campaign.campaignId, { limit: 50 });
    expect(events.filter(({ type }) => type === 'campaign.completed')).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('campaign.completed');
  });

  test.each(['pending', 'retry_wait'] as const)('not while one is %s', async (state) => {
    const campaign = await createSendingCampaign(db, { count: 2 });
    await settle(campaign, ['sent', state]);

    await completeCampaigns(db);

    expect(await report(campaign)).toMatchObject({ status: 'sending' });
  });

  test('not while recipients are left to expand', async () => {
    const campaign = await createSendingCampaign(db);
    await settle(campaign, ['sent']);
    await db.sql.query('update campaigns set expanded_at = null where id = $1', [
      campaign.campaignId,
    ]);

    await completeCampaigns(db);

    expect(await report(campaign)).toMatchObject({ status: 'sending' });
  });

  test('with the times in which half and nineteen of twenty deliveries were sent', async () => {
    const campaign = await createSendingCampaign(db, { count: 100 });
    await settle(campaign, []);
    await db.sql.query(
      `update deliveries d set sent_at = c.created_at + n.n * interval '10 ms'
       from campaigns c, (select id, row_number() over (order by id) as n from deliveries where campaign_id = $1) n
       where c.id = $1 and n.id = d.id`,
      [campaign.campaignId],
    );

    await completeCampaigns(db);

    expect((await report(campaign))?.timing).toMatchObject({ p50Ms: 500, p95Ms: 950 });
  });

  test('without such times when nothing was sent', async () => {
    const campaign = await createSendingCampaign(db);
    await settle(campaign, ['failed']);

    await completeCampaigns(db);

    expect(await report(campaign)).toMatchObject({
      status: 'completed',
      timing: { p50Ms: null, p95Ms: null, firstSentAt: null },
    });
  });
});

describe('campaigns without a queue record', () => {
  test('are found: those of the gateway after their record had its time, the others at once', async () => {
    const { applicationId } = await createSendingApplication(db);
    const fresh = newCampaign({ applicationId });
    const old = newCampaign({ applicationId, createdAt: Date.now() - 60_000 });
    const test = newCampaign({ applicationId, source: 'test' });
    const done = await expanded({ applicationId, source: 'test', recipients: ['x@example.org'] });
    for (const campaign of [fresh, old, test]) await acceptCampaign(db, campaign);

    const found = new Set(await campaignsToExpand(db, 30_000));

    expect([fresh, old, test, done].map(({ campaignId }) => found.has(campaignId))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

describe('a send whose worker is gone', () => {
  test.each([
    ['WEB_HOOK', 'retry_wait', 1],
    ['SMS', 'unknown', 0],
  ] as const)(
    'by %s is %s: only what a repeat does not harm is sent again',
    async (channel, state, claimable) => {
      const { applicationId } = await createTestApplication(db);
      await configureChannel(db, applicationId, channel);
      const campaign = await createSendingCampaign(db, {
        applicationId,
        channel,
        message: { body: 'x' },
      });
      await markSending(db, await claimAll(campaign), 60_000);
      await endLeases(campaign);
      await db.sql.query('update campaign_chunks set due_at = null where campaign_id = $1', [
        campaign.campaignId,
      ]);

      await allRows(() => expireSendingLeases(db));

      expect(await listDeliveries(db, campaign.campaignId, { limit: 1 })).toMatchObject([
        { status: state, reason: 'outcome_unknown', attempts: 1 },
      ]);
      const { rows } = await db.sql.query(
        'select 1 from campaign_chunks where campaign_id = $1 and due_at <= now()',
        [campaign.campaignId],
      );
      expect(rows).toHaveLength(claimable);
      expect(await claimAll(campaign)).toHaveLength(claimable);
    },
  );

  test('by SMS is sent once more, later, where the application wants that, and then no more', async () => {
    const { applicationId } = await createTestApplication(db);
    await updateApplication(db, applicationId, { settings: { resendOnUnknown: { SMS: true } } });
    await configureChannel(db, applicationId, 'SMS');
    const campaign = await createSendingCampaign(db, {
      applicationId,
      channel: 'SMS',
      message: { body: 'x' },
    });
    const loseWorker = async (): Promise<void> => {
      await markSending(db, await claimAll(campaign), 60_000);
      await endLeases(campaign);
      await allRows(() => expireSendingLeases(db));
    };

    await loseWorker();

    expect(await listDeliveries(db, campaign.campaignId, { limit: 1 })).toMatchObject([
      { status: 'retry_wait', reason: 'outcome_unknown', attempts: 1 },
    ]);
    expect(await claimAll(campaign)).toEqual([]);

    await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);
    await loseWorker();

    expect(await listDeliveries(db, campaign.campaignId, { limit: 1 })).toMatchObject([
      { status: 'unknown', reason: 'outcome_unknown', attempts: 2 },
    ]);
  });

  test('by WEB_HOOK stays unknown where the application wants no repeat', async () => {
    const { applicationId } = await createTestApplication(db);
    await updateApplication(db, applicationId, {
      settings: { resendOnUnknown: { WEB_HOOK: false } },
    });
    await configureChannel(db, applicationId, 'WEB_HOOK');
    const campaign = await createSendingCampaign(db, {
      applicationId,
      channel: 'WEB_HOOK',
      message: { body: 'x' },
    });
    await markSending(db, await claimAll(campaign), 60_000);
    await endLeases(campaign);

    await allRows(() => expireSendingLeases(db));

    expect(await report(campaign)).toMatchObject({ counts: { unknown: 1, pending: 0 } });
  });

  test('of a test send stays unknown, with any setting of the application: the tester repeats it', async () => {
    const { applicationId } = await createTestApplication(db);
    await updateApplication(db, applicationId, { settings: { resendOnUnknown: { SMS: true } } });
    await configureChannel(db, applicationId, 'SMS');
    const campaign = await expanded({
      applicationId,
      channel: 'SMS',
      source: 'test',
      recipients: ['+4915112345678'],
      message: { body: 'x' },
    });
    await markSending(db, await claimAll(campaign), 60_000);
    await endLeases(campaign);

    await allRows(() => expireSendingLeases(db));

    expect(await report(campaign)).toMatchObject({ counts: { unknown: 1, pending: 0 } });
  });
});
