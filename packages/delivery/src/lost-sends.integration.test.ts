import { afterAll, describe, expect, test } from '@jest/globals';
import { updateApplication } from '@tidings/people/update-application';
import {
  configureChannel,
  createOwnDatabase,
  createSendingCampaign,
  createTestApplication,
} from '@tidings/testing';
import { changeDeliveryStates } from './change-states.ts';
import { markSending } from './mark-sending.ts';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { completeCampaigns, expireSendingLeases } from './sweeps.ts';
import { sweepHelpers, allRows } from './testing/swept-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const { report, expanded, claimAll, endLeases, leasesOfChunk } = sweepHelpers(db);

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
