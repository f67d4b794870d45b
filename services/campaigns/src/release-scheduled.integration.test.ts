import { afterAll, describe, expect, test } from '@jest/globals';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { controlCampaign } from '@tidings/delivery/control';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { changeCampaign } from '@tidings/delivery/change-campaign';
import { releaseScheduled } from '@tidings/delivery/schedules';
import {
  createOwnDatabase,
  createSendingApplication,
  newCampaign,
  registerUsers,
  someIds,
  untilBlockedBy,
} from '@tidings/testing';
import { expandSmall } from './expand-small.ts';
import { releaseDue } from './release-scheduled.ts';
import {
  campaignsHelpers,
  chunkNosOf,
  readPointers,
  unending,
} from './testing/campaigns-service.ts';

// Releases and sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 8 });
afterAll(() => db.close());
const { campaignsService, recordOf } = campaignsHelpers(db);
const HOUR_MS = 3_600_000;

async function scheduled(
  count: number,
  { dueInMs = HOUR_MS, ...overrides }: { dueInMs?: number } & Partial<NewCampaign> = {},
): Promise<NewCampaign> {
  const { applicationId } = await createSendingApplication(db);
  const recipients = someIds(count);
  await registerUsers(db, applicationId, recipients);
  const sendAt = Date.now() + dueInMs;
  const campaign = newCampaign({
    applicationId,
    recipients,
    expiresAt: sendAt + HOUR_MS,
    schedule: { sendAt, sendAtLocal: null, isLater: true },
    ...overrides,
  });
  await acceptCampaign(db, campaign);
  return campaign;
}

/** Its time has come, by the clock of Postgres. */
const makeDue = ({ campaignId }: NewCampaign) =>
  db.sql.query('update campaigns set send_at = now() where id = $1', [campaignId]);

async function release() {
  const service = await campaignsService();
  let others = 0;
  await releaseDue({ ...service, onOthers: () => (others += 1) }, unending);
  return { ...service, others };
}

const eventsOf = async ({ campaignId }: NewCampaign) =>
  (await listCampaignEvents(db, campaignId, { limit: 50 })).map(({ type }) => type);
const cancel = (campaign: NewCampaign) =>
  controlCampaign(db, { ...campaign, action: 'cancel', actor: 'test' });

describe('a scheduled campaign', () => {
  test('is left alone before its time by everything', async () => {
    const campaign = await scheduled(3, { createdAt: Date.now() - HOUR_MS });

    const { sweep, others } = await release();
    await sweep();

    expect(others).toBe(0);
    expect(await recordOf(campaign)).toMatchObject({
      status: 'scheduled',
      counts: { total: 3, pending: 3 },
      timing: { startedAt: null },
    });
    expect(await eventsOf(campaign)).toEqual(['campaign.scheduled']);
    await cancel(campaign);
  });

  test('does not begin when a record in the queue names it', async () => {
    const campaign = await scheduled(3);

    await expandSmall(await campaignsService(), [campaign.campaignId], { signal: unending });

    expect(await recordOf(campaign)).toMatchObject({ status: 'scheduled', counts: { pending: 3 } });
    await cancel(campaign);
  });

  test('is expanded and dispatched when its time has come', async () => {
    const service = await campaignsService();
    const reader = await readPointers(service.bus);
    const campaign = await scheduled(250);
    await makeDue(campaign);

    await releaseDue({ ...service, onOthers: () => undefined }, unending);

    expect(await recordOf(campaign)).toMatchObject({
      status: 'sending',
      schedule: { sendAt: expect.any(Number), sendAtLocal: null },
    });
    expect(chunkNosOf(campaign, reader.pointers)).toEqual([0, 1]);
    expect(await eventsOf(campaign)).toEqual([
      'campaign.scheduled',
      'campaign.queued',
      'campaign.started',
    ]);
    await reader.stop();
  });

  test('of more than a thousand recipients goes to the expansion of large ones', async () => {
    const campaign = await scheduled(1_001);
    await makeDue(campaign);

    const { others, sweep } = await release();
    await sweep();

    expect(others).toBe(1);
    const { rows } = await db.sql.query(
      'select distinct c.lane, k.lane as chunks from campaigns c join campaign_chunks k on k.campaign_id = c.id where c.id = $1',
      [campaign.campaignId],
    );
    expect(rows).toEqual([{ lane: 'bulk', chunks: 'bulk' }]);
    expect(await recordOf(campaign)).toMatchObject({ status: 'sending' });
  });

  test('to a segment has its recipients read then, and not before', async () => {
    const condition = { field: 'country', is: 'DE' } as const;
    const audience = { segment: null, version: null, condition, exclude: null, recheck: false };
    const campaign = await scheduled(1, { recipients: [], audience });
    await makeDue(campaign);

    expect(await releaseScheduled(db)).toEqual([
      { campaignId: campaign.campaignId, lane: 'snapshot' },
    ]);
    await cancel(campaign);
  });

  test('is released once by many processes', async () => {
    const campaigns = [];
    for (let index = 0; index < 5; index += 1) campaigns.push(await scheduled(2));
    await db.sql.query("update campaigns set send_at = now() where lane = 'scheduled'");

    await Promise.all(Array.from({ length: 6 }, () => release()));

    for (const campaign of campaigns)
      expect(await eventsOf(campaign)).toEqual([
        'campaign.scheduled',
        'campaign.queued',
        'campaign.started',
      ]);
  });

  test('whose process ends after its release is expanded by a sweep', async () => {
    const campaign = await scheduled(3, { createdAt: Date.now() - HOUR_MS });
    await makeDue(campaign);
    await releaseScheduled(db);
    expect(await recordOf(campaign)).toMatchObject({ status: 'queued' });

    await (await campaignsService()).sweep();

    expect(await recordOf(campaign)).toMatchObject({ status: 'sending' });
  });

  test('that was canceled is not released, and each recipient is canceled', async () => {
    const campaign = await scheduled(3);
    await cancel(campaign);
    await makeDue(campaign);

    const { sweep } = await release();
    await sweep();

    expect(await recordOf(campaign)).toMatchObject({
      status: 'canceled',
      counts: { total: 3, canceled: 3 },
    });
    expect(await eventsOf(campaign)).not.toContain('campaign.queued');
  });

  test('that gets another time while it is due is released at that one', async () => {
    const campaign = await scheduled(1);
    await makeDue(campaign);
    const { applicationId, campaignId } = campaign;
    const sendAt = Date.now() + HOUR_MS;

    // Its row is locked: the release passes over it, and the change waits.
    const locked = Promise.withResolvers<void>();
    const holding = db.transaction(async (sql) => {
      await sql.query('select from campaigns where id = $1 for no key update', [campaignId]);
      locked.resolve();
      await untilBlockedBy(db, sql);
      expect(await releaseScheduled(db)).toEqual([]);
    });
    await locked.promise;
    const changing = changeCampaign(db, {
      applicationId,
      campaignId,
      time: { sendAt, sendAtLocal: null, lastAt: sendAt },
      actor: 'test',
    });
    await holding;

    expect(await changing).toEqual({ outcome: 'done' });
    expect(await releaseScheduled(db)).toEqual([]);
    expect(await recordOf(campaign)).toMatchObject({ status: 'scheduled', schedule: { sendAt } });
    await cancel(campaign);
  });

  test('that was released does not get another time', async () => {
    const campaign = await scheduled(1);
    await makeDue(campaign);
    await releaseScheduled(db);

    expect(
      await changeCampaign(db, {
        ...campaign,
        time: { sendAt: Date.now() + HOUR_MS, sendAtLocal: null, lastAt: Date.now() + HOUR_MS },
        actor: 'test',
      }),
    ).toEqual({ outcome: 'illegal', status: 'queued' });
  });
});
