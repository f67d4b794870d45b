import { afterAll, describe, expect, test } from '@jest/globals';
import {
  CAMPAIGN_ACTIONS,
  CAMPAIGN_STATUSES,
  type CampaignAction,
  type CampaignStatus,
} from '@tidings/contracts/push/campaigns';
import {
  createOwnDatabase,
  createSendingCampaign,
  createTestApplication,
  expandAll,
  recount,
  untilBlockedBy,
} from '@tidings/testing';
import { bulkCampaignsToExpand } from './bulk.ts';
import { releaseClaims } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { expandNextChunks, startCampaign } from './expand.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { completeCampaigns, expireCampaigns } from './sweeps.ts';
import { LEASE_MS, controlOf } from './testing/controlled-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const {
  act,
  claim,
  claimAndMarkSending,
  settle,
  countsOf,
  statusOf,
  forceStatus,
  typesOf,
  campaignEvents,
  dispatched,
  halfExpanded,
  completed,
} = controlOf(db);

describe('the state machine', () => {
  const LEGAL: Readonly<Record<CampaignAction, readonly CampaignStatus[]>> = {
    pause: ['sending'],
    resume: ['paused'],
    cancel: ['scheduled', 'queued', 'sending', 'paused'],
    'retry-failed': ['completed'],
  };
  const AFTER = {
    pause: 'paused',
    resume: 'sending',
    cancel: 'canceled',
    'retry-failed': 'sending',
  } as const;

  test.each(
    CAMPAIGN_ACTIONS.flatMap((action) =>
      CAMPAIGN_STATUSES.map((status) => [action, status] as const),
    ),
  )('%s of a campaign that is %s', async (action, status) => {
    const campaign = await completed(3);
    await forceStatus(campaign, status);
    const eventsBefore = await typesOf(campaign);

    const result = await act(campaign, action);

    const isLegal = LEGAL[action].includes(status);
    expect(result).toEqual(isLegal ? { outcome: 'done' } : { outcome: 'illegal', status });
    expect(await statusOf(campaign)).toBe(isLegal ? AFTER[action] : status);
    const added = (await typesOf(campaign))
      .slice(eventsBefore.length)
      .filter((type) => type.startsWith('campaign.'));
    expect(added).toHaveLength(isLegal ? 1 : 0);
    await countsOf(campaign);
  });

  test('another application’s campaign is none', async () => {
    const campaign = await createSendingCampaign(db);
    const { applicationId } = await createTestApplication(db);

    for (const action of CAMPAIGN_ACTIONS)
      expect(await act({ ...campaign, applicationId }, action)).toEqual({ outcome: 'not_found' });
    expect(await statusOf(campaign)).toBe('sending');
  });

  test('of any number of equal actions at the same moment one is done', async () => {
    const campaign = await createSendingCampaign(db, { count: 20 });

    const outcomes = await Promise.all(Array.from({ length: 8 }, () => act(campaign, 'cancel')));

    expect(outcomes.filter(({ outcome }) => outcome === 'done')).toHaveLength(1);
    expect(outcomes.filter(({ outcome }) => outcome === 'illegal')).toHaveLength(7);
    expect(await campaignEvents(campaign)).toEqual([
      'campaign.queued',
      'campaign.started',
      'campaign.canceled',
    ]);
    expect(await countsOf(campaign)).toEqual({ canceled: 20 });
  });

  test('each action is in the event log, with who wanted it', async () => {
    const campaign = await completed(3);
    await act(campaign, 'retry-failed');
    await act(campaign, 'pause');
    await act(campaign, 'resume');
    await act(campaign, 'cancel');

    const events = await listCampaignEvents(db, campaign.campaignId, { limit: 500 });

    expect(events.filter(({ detail }) => detail === 'key:test').map(({ type }) => type)).toEqual([
      'campaign.retried',
      'campaign.paused',
      'campaign.resumed',
      'campaign.canceled',
    ]);
  });
});

describe('pause', () => {
  test('nothing is claimed any more; resumed, every chunk is due at once', async () => {
    const campaign = await createSendingCampaign(db, { count: 450 });
    await act(campaign, 'pause');

    expect(await claim(campaign)).toEqual([]);
    await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);
    expect(await dispatched(campaign)).toEqual([]);
    expect(await dispatched(campaign)).toEqual([]);
    await act(campaign, 'resume');

    expect(await dispatched(campaign)).toEqual([0, 1, 2]);
    expect(await claim(campaign)).toHaveLength(200);
    expect(await countsOf(campaign)).toEqual({ pending: 450 });
  });

  test('what was claimed before it is not marked', async () => {
    const campaign = await createSendingCampaign(db, { count: 5 });
    const claimed = await claim(campaign);
    await act(campaign, 'pause');

    expect(await markSending(db, claimed, LEASE_MS)).toEqual(new Set());
    await releaseClaims(db, claimed, 0);
    await act(campaign, 'resume');

    expect(await claimAndMarkSending(campaign, 5)).toHaveLength(5);
  });

  test('what is in flight gets its outcome, and the campaign stays paused with nothing left to do', async () => {
    const campaign = await createSendingCampaign(db, { count: 3 });
    const marked = await claimAndMarkSending(campaign, 3);
    await act(campaign, 'pause');
    await settle(marked, 'sent');
    await completeCampaigns(db);
    expect(await statusOf(campaign)).toBe('paused');

    await act(campaign, 'resume');
    await completeCampaigns(db);

    expect(await statusOf(campaign)).toBe('completed');
    expect(await countsOf(campaign)).toEqual({ sent: 3 });
  });

  test('no chunk is expanded while it is paused, and all are when it is resumed', async () => {
    const campaign = await halfExpanded();
    await act(campaign, 'pause');

    expect(await expandNextChunks(db, campaign.campaignId)).toBeNull();
    expect(await startCampaign(db, campaign.campaignId)).toBe(false);
    expect((await recount(db, campaign.campaignId)).groups).toEqual({ pending: 2_000 });
    expect(await countsOf(campaign)).toEqual({ pending: 2_450 });
    await act(campaign, 'resume');

    expect(await bulkCampaignsToExpand(db, [])).toContain(campaign.campaignId);
    expect(await expandAll(db, campaign.campaignId)).toEqual([10, 11, 12]);
    expect((await recount(db, campaign.campaignId)).groups).toEqual({ pending: 2_450 });
  }, 60_000);

  test('it waits for an expansion step in progress; the step waits for no other transaction', async () => {
    const campaign = await halfExpanded(2_050);
    let paused: Promise<unknown> = Promise.resolve();
    await db.transaction(async (sql) => {
      await sql.query('select 1 from campaigns where id = $1 for share', [campaign.campaignId]);
      paused = act(campaign, 'pause');
      await untilBlockedBy(db, sql);

      expect(await statusOf(campaign)).toBe('sending');
    });
    expect(await paused).toEqual({ outcome: 'done' });
    expect(await expandNextChunks(db, campaign.campaignId)).toBeNull();
  }, 60_000);

  test('a campaign that expires meanwhile sends nothing when it is resumed, and completes', async () => {
    const campaign = await halfExpanded(2_050);
    const claimed = await claim(campaign, { rowsMax: 5 });
    await act(campaign, 'pause');
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);
    await act(campaign, 'resume');

    expect(await markSending(db, claimed, LEASE_MS)).toEqual(new Set());
    await releaseClaims(db, claimed, 0);
    await expandAll(db, campaign.campaignId);
    while ((await expireCampaigns(db)) > 0);
    await completeCampaigns(db);

    expect(await statusOf(campaign)).toBe('completed');
    expect(await countsOf(campaign)).toEqual({ expired: 2_050 });
  }, 60_000);
});
