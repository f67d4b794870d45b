import { afterAll, describe, expect, test } from '@jest/globals';
import {
  configureEmail,
  createOwnDatabase,
  createSendingApplication,
  createTestApplication,
  expandAll,
  newCampaign,
  recount,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import { claimChunk } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { deleteRecipient } from './delete-recipient.ts';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { ROWS_PER_SWEEP } from './sweeps.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

const report = ({ applicationId, campaignId }: NewCampaign) =>
  readCampaign(db, applicationId, campaignId);
const reasonsOf = async ({ campaignId }: NewCampaign) =>
  (await listDeliveries(db, campaignId, { limit: 500 })).map(({ customUserId, status, reason }) => [
    customUserId,
    status,
    reason,
  ]);

async function expanded(
  overrides: Partial<NewCampaign> & Pick<NewCampaign, 'applicationId'>,
): Promise<NewCampaign> {
  const campaign = newCampaign(overrides);
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return campaign;
}

/** As if the deliveries had been made that long ago. */
async function age({ campaignId }: NewCampaign, seconds: number): Promise<void> {
  await db.sql.query(
    `update deliveries set created_at = created_at - $2::int * interval '1 s' where campaign_id = $1`,
    [campaignId, seconds],
  );
  await db.sql.query(
    `update campaign_chunks set unresolved_at = unresolved_at - $2::int * interval '1 s' where campaign_id = $1`,
    [campaignId, seconds],
  );
}

const claimAll = ({ campaignId }: NewCampaign) =>
  claimChunk(db, { campaignId, chunkNo: 0, owner: 'worker', leaseMs: 60_000, rowsMax: 200 });

async function allRows(sweep: () => Promise<number>): Promise<void> {
  while ((await sweep()) >= ROWS_PER_SWEEP);
}

describe('a recipient unknown when the campaign started', () => {
  test('is sent to when it registers within ten seconds: its chunk becomes due', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await expanded({ applicationId, recipients: ['late'] });
    await allRows(() => resolveUnknownRecipients(db));
    expect(await reasonsOf(campaign)).toEqual([['late', 'pending', null]]);

    await registerUsers(db, applicationId, ['late']);
    await allRows(() => resolveUnknownRecipients(db));

    const { rows } = await db.sql.query(
      'select chunk_no from campaign_chunks where campaign_id = $1 and due_at <= now()',
      [campaign.campaignId],
    );
    expect(rows).toEqual([{ chunk_no: 0 }]);
    expect(await claimAll(campaign)).toMatchObject([
      { customUserId: 'late', profile: { email: 'ada@example.org' } },
    ]);
  });

  test('is no longer looked up once each recipient of its chunk is found or has failed', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await expanded({ applicationId, recipients: ['unknown', 'late'] });
    const isLookedFor = async () => {
      const { rowCount } = await db.sql.query(
        'select 1 from campaign_chunks where campaign_id = $1 and unresolved_at is not null',
        [campaign.campaignId],
      );
      return rowCount === 1;
    };
    await registerUsers(db, applicationId, ['late']);
    await allRows(() => resolveUnknownRecipients(db));
    expect(await isLookedFor()).toBe(true);

    await age(campaign, 11);
    await allRows(() => resolveUnknownRecipients(db));

    expect(await isLookedFor()).toBe(false);
  });

  test('fails after ten seconds, and not before', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await expanded({ applicationId, recipients: ['unknown'] });
    await age(campaign, 9);
    await allRows(() => resolveUnknownRecipients(db));
    expect(await reasonsOf(campaign)).toEqual([['unknown', 'pending', null]]);

    await age(campaign, 2);
    await allRows(() => resolveUnknownRecipients(db));

    expect(await reasonsOf(campaign)).toEqual([['unknown', 'failed', 'unknown_user']]);
    expect(await report(campaign)).toMatchObject({
      counts: { total: 1, failed: 1, pending: 0 },
      failures: { unknown_user: 1 },
    });
  });

  test('is looked up once more when its time is over', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await expanded({ applicationId, recipients: ['just-in-time'] });
    await age(campaign, 11);
    await registerUsers(db, applicationId, ['just-in-time']);

    await allRows(() => resolveUnknownRecipients(db));

    expect(await claimAll(campaign)).toHaveLength(1);
  });

  test.each([
    ['not configured', async () => {}],
    ['not tested', (applicationId: string) => configureEmail(db, applicationId)],
  ])(
    'fails for the channel when that is %s: the user first, then the channel',
    async (_name, configure) => {
      const { applicationId } = await createTestApplication(db);
      await configure(applicationId);
      const campaign = await expanded({ applicationId, recipients: ['found', 'unknown'] });
      await registerUsers(db, applicationId, ['found']);
      await age(campaign, 11);

      await allRows(() => resolveUnknownRecipients(db));

      expect(await reasonsOf(campaign)).toEqual([
        ['found', 'failed', 'channel_not_configured'],
        ['unknown', 'failed', 'unknown_user'],
      ]);
    },
  );

  test('is no recipient of a test send', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await expanded({
      applicationId,
      source: 'test',
      recipients: ['ada@example.org'],
    });
    await age(campaign, 60);

    await allRows(() => resolveUnknownRecipients(db));

    expect(await reasonsOf(campaign)).toEqual([['ada@example.org', 'pending', null]]);
  });

  test.each<[string, Partial<NewCampaign>]>([
    ['a message to a user', { recipients: ['ada'] }],
    ['a test send to an address', { source: 'test', recipients: ['ada@example.org'] }],
  ])(
    'also applies to %s who is deleted before the send, even if a worker has claimed it',
    async (_what, overrides) => {
      const { applicationId } = await createSendingApplication(db);
      await registerUsers(db, applicationId, ['ada']);
      const [waiting, taken] = [
        await expanded({ applicationId, ...overrides }),
        await expanded({ applicationId, ...overrides }),
      ];
      const claimed = await claimAll(taken);
      expect(claimed).toHaveLength(1);

      await db.transaction((sql) =>
        deleteRecipient(sql, {
          applicationId,
          customUserId: 'ada',
          addresses: ['ada@example.org'],
          userIds: [],
        }),
      );

      for (const campaign of [waiting, taken]) {
        expect((await reasonsOf(campaign)).map(([, status, reason]) => [status, reason])).toEqual([
          ['failed', 'unknown_user'],
        ]);
        expect(await recount(db, campaign.campaignId)).toEqual({
          groups: { failed: 1 },
          failures: { unknown_user: 1 },
        });
      }
      expect(await markSending(db, claimed, 60_000)).toEqual(new Set());
    },
  );

  test('does not wait behind a campaign of very many such recipients', async () => {
    const { applicationId } = await createSendingApplication(db);
    const many = await expanded({ applicationId, recipients: someIds(ROWS_PER_SWEEP + 500) });
    const one = await expanded({ applicationId, recipients: ['late'] });
    await registerUsers(db, applicationId, ['late']);

    await resolveUnknownRecipients(db);

    expect(await claimAll(one)).toHaveLength(1);
    await age(many, 11);
    await allRows(() => resolveUnknownRecipients(db));
    expect(await recount(db, many.campaignId)).toMatchObject({
      failures: { unknown_user: ROWS_PER_SWEEP + 500 },
    });
  });

  test('is one of 100,000 unknown recipients: each is looked up until its time is over, in bounded steps', async () => {
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(100_000);
    const campaign = await expanded({ applicationId, recipients });
    expect(await report(campaign)).toMatchObject({
      counts: { total: 100_000, pending: 100_000, failed: 0 },
    });
    const late = recipients.filter((_, index) => index % 1_000 === 500);
    await registerUsers(db, applicationId, late);
    await age(campaign, 11);

    const steps: number[] = [];
    await allRows(async () => {
      const changed = await resolveUnknownRecipients(db);
      steps.push(changed);
      return changed;
    });

    expect(Math.max(...steps)).toBeLessThanOrEqual(2 * ROWS_PER_SWEEP);
    expect(await report(campaign)).toMatchObject({
      counts: { total: 100_000, pending: late.length, failed: 100_000 - late.length },
      failures: { unknown_user: 100_000 - late.length },
    });
    expect(await recount(db, campaign.campaignId)).toEqual({
      groups: { pending: late.length, failed: 100_000 - late.length },
      failures: { unknown_user: 100_000 - late.length },
    });
  }, 240_000);
});
