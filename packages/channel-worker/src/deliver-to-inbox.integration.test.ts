import { afterAll, describe, expect, test } from '@jest/globals';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { completeCampaigns } from '@tidings/delivery/sweeps';
import { updateApplication } from '@tidings/people/update-application';
import { readUser } from '@tidings/people/users';
import { systemClock, systemIds } from '@tidings/platform';
import {
  configureChannel,
  connectTestDatabase,
  createRecordingLogger,
  createSendingCampaign,
  createTestApplication,
  eventually,
  expandAll,
  newCampaign,
  someIds,
} from '@tidings/testing';
import { deleteUser } from '@tidings/user-data/delete-user';
import { deliverChunkToInbox, type InboxDependencies } from './deliver-to-inbox.ts';
import { inboxDependencies } from './inbox-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

/** An IN_APP worker, and the users it notified. */
function worker({ renderWaitMs = () => 0, ...others }: Partial<InboxDependencies> = {}) {
  const told: string[] = [];
  const deps = {
    ...inboxDependencies({
      db,
      channel: 'IN_APP',
      owner: systemIds.uuid(),
      claimLeaseMs: 30_000,
      onDelivered: (userIds) => told.push(...userIds),
    }),
    clock: systemClock,
    logger: createRecordingLogger().logger,
    renderWaitMs,
    ...others,
  };
  return {
    told,
    offer: ({ campaignId }: NewCampaign, chunkNo = 0, signal = new AbortController().signal) =>
      deliverChunkToInbox(deps, { campaignId, chunkNo }, signal),
    /** How often it let other chunks proceed. */
    async offerAndListen({ campaignId }: NewCampaign, chunkNo: number) {
      let times = 0;
      const onAllClaimed = () => (times += 1);
      await deliverChunkToInbox(
        deps,
        { campaignId, chunkNo, onAllClaimed },
        new AbortController().signal,
      );
      return times;
    },
  };
}

async function createApplication() {
  const { applicationId } = await createTestApplication(db);
  await configureChannel(db, applicationId, 'IN_APP');
  return applicationId;
}

const countsOf = async ({ applicationId, campaignId }: NewCampaign) =>
  (await readCampaign(db, applicationId, campaignId))?.counts;
const deliveryOf = async ({ campaignId }: NewCampaign) =>
  (await listDeliveries(db, campaignId, { limit: 1 }))[0];

describe('a chunk of a channel whose messages are fetched', () => {
  test('waits for its users, who are notified; a second dispatch finds nothing to do', async () => {
    const campaign = await createSendingCampaign(db, {
      applicationId: await createApplication(),
      channel: 'IN_APP',
      count: 450,
    });
    const { told, offer } = worker();

    for (const chunkNo of [0, 1, 2, 0]) await offer(campaign, chunkNo);

    expect(await countsOf(campaign)).toMatchObject({
      total: 450,
      waiting: 450,
      pending: 0,
      failed: 0,
    });
    expect(new Set(told).size).toBe(450);
    expect(told).toHaveLength(450);
    // Some at a time, also those of other tests.
    await eventually(async () => {
      await completeCampaigns(db);
      expect(await readCampaign(db, campaign.applicationId, campaign.campaignId)).toMatchObject({
        status: 'completed',
      });
    });
  });

  test('fails where the channel is not configured', async () => {
    const { applicationId } = await createTestApplication(db);
    const campaign = await createSendingCampaign(db, { applicationId, channel: 'IN_APP' });
    await db.sql.query(
      `update deliveries set state = 'pending', reason = null where campaign_id = $1`,
      [campaign.campaignId],
    );

    await worker().offer(campaign);

    expect(await deliveryOf(campaign)).toMatchObject({
      status: 'failed',
      reason: 'channel_not_configured',
    });
  });

  test.each<[string, (applicationId: string) => Promise<unknown>]>([
    [
      'was deleted',
      (applicationId) => deleteUser(db, { applicationId, customUserId: 'ada', clock: systemClock }),
    ],
    [
      'was deleted while the campaign was expanded',
      (applicationId) =>
        db.sql.query('delete from users where application_id = $1', [applicationId]),
    ],
  ])('is not delivered to a user who %s: the user is unknown', async (_when, remove) => {
    const applicationId = await createApplication();
    const campaign = await createSendingCampaign(db, {
      applicationId,
      channel: 'IN_APP',
      recipients: ['ada'],
    });
    const { told, offer } = worker();

    await remove(applicationId);
    await offer(campaign);

    expect(await deliveryOf(campaign)).toMatchObject({ status: 'failed', reason: 'unknown_user' });
    expect(await countsOf(campaign)).toMatchObject({ waiting: 0, pending: 0, failed: 1 });
    expect(told).toEqual([]);
    expect(
      (await db.sql.query('select 1 from inbox where campaign_id = $1', [campaign.campaignId]))
        .rowCount,
    ).toBe(0);
  });

  test('a test send is delivered to the user it names, and fails if there is none', async () => {
    const applicationId = await createApplication();
    await createSendingCampaign(db, { applicationId, channel: 'IN_APP', recipients: ['ada'] });
    const testTo = async (recipient: string) => {
      const campaign = newCampaign({
        applicationId,
        channel: 'IN_APP',
        source: 'test',
        recipients: [recipient],
      });
      await acceptCampaign(db, campaign);
      await expandAll(db, campaign.campaignId);
      return campaign;
    };
    const [toAda, toUnknown] = [await testTo('ada'), await testTo('unknown')];
    const { told, offer } = worker();

    await offer(toAda);
    await offer(toUnknown);

    expect(await deliveryOf(toAda)).toMatchObject({ status: 'waiting' });
    expect(told).toEqual([(await readUser(db, applicationId, 'ada'))?.userId]);
    expect(await deliveryOf(toUnknown)).toMatchObject({ status: 'failed', reason: 'unknown_user' });
  });
});

describe('what policy says of marketing', () => {
  const marketing = { channel: 'IN_APP', purpose: 'marketing' } as const;

  test('quiet hours hold it', async () => {
    const applicationId = await createApplication();
    // All day but for a minute that is over, or yet to come.
    const minute = new Date(systemClock.now() + 12 * 3_600_000).toISOString().slice(11, 16);
    const next = new Date(systemClock.now() + 12 * 3_600_000 + 60_000).toISOString().slice(11, 16);
    await updateApplication(db, applicationId, {
      settings: { quietHours: { default: { from: next, to: minute, action: 'hold' } } },
    });
    const campaign = await createSendingCampaign(db, { ...marketing, applicationId });

    await worker().offer(campaign);

    expect(await deliveryOf(campaign)).toMatchObject({ status: 'pending', reason: 'quiet_hours' });
  });

  test('a frequency cap counts waiting messages; users are notified of delivered messages only', async () => {
    const applicationId = await createApplication();
    await updateApplication(db, applicationId, {
      settings: { frequencyCaps: { IN_APP: { messages: 1, windowHours: 24, action: 'drop' } } },
    });
    const recipients = someIds(3);
    const first = await createSendingCampaign(db, { ...marketing, applicationId, recipients });
    const second = newCampaign({ ...marketing, applicationId, recipients });
    await acceptCampaign(db, second);
    await expandAll(db, second.campaignId);
    const { told, offer } = worker();

    await offer(first);
    await offer(second);

    expect(await countsOf(first)).toMatchObject({ waiting: 3 });
    expect(await countsOf(second)).toMatchObject({ waiting: 0, failed: 3 });
    expect(told).toHaveLength(3);
  });
});

describe('a personalised chunk of such a channel', () => {
  const personal = async (body: string) => ({
    applicationId: await createApplication(),
    channel: 'IN_APP' as const,
    count: 30,
    templates: [{ slug: null, version: null, share: 1, message: { body }, variants: [] }],
  });

  test('is postponed before any row is claimed while renderings of its application wait', async () => {
    const campaign = await createSendingCampaign(db, await personal('Hello'));

    await worker({ renderWaitMs: () => 4_000 }).offer(campaign, -1);

    expect(await countsOf(campaign)).toMatchObject({ pending: 30, waiting: 0 });
    await worker({ renderWaitMs: () => 400 }).offer(campaign, -1);
    expect(await countsOf(campaign)).toMatchObject({ pending: 0, waiting: 30 });
  });

  test('lets others proceed if it is rendered for long, and no other chunk does', async () => {
    // Much more than 0.1 s of CPU in all.
    const costly = '{% for i in (1..400) %}{% assign x = "now" | date: "%A %c" %}{% endfor %}ok';
    const slow = await createSendingCampaign(db, await personal(costly));
    const plain = await createSendingCampaign(db, { ...(await personal('')), templates: null });

    const own = worker({ renderMsMax: Infinity });
    expect(await own.offerAndListen(slow, -1)).toBe(1);
    expect(await own.offerAndListen(plain, 0)).toBe(0);

    expect(await countsOf(slow)).toMatchObject({ waiting: 30 });
    expect(await countsOf(plain)).toMatchObject({ waiting: 30 });
  }, 60_000);

  test('is delivered part by part if it takes longer to render than the lease of its rows may last', async () => {
    const body = '{% for i in (1..200) %}{% assign x = "now" | date: "%A %c" %}{% endfor %}ok';
    const campaign = await createSendingCampaign(db, await personal(body));
    const { offer } = worker({ renderMsMax: 0 });
    const waiting = async () => (await countsOf(campaign))?.waiting ?? 0;

    await offer(campaign, -1);
    const first = await waiting();
    for (let tries = 0; tries < 30 && (await waiting()) < 30; tries += 1) await offer(campaign, -1);

    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(30);
    expect(await waiting()).toBe(30);
  }, 60_000);
});
