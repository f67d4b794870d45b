import { afterAll, describe, expect, test } from '@jest/globals';
import { systemIds } from '@tidings/platform';
import {
  configureChannel,
  connectTestDatabase,
  createSendingApplication,
  createSendingCampaign,
  createTestApplication,
  expandAll,
  newCampaign,
  registerUsers,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import { readCampaignsToSend } from './campaigns-to-send.ts';
import { claimChunks, releaseClaims } from './claims.ts';
import { markSending } from './mark-sending.ts';
import { LEASE_MS } from './testing/controlled-campaigns.ts';
import { claimHelpers } from './testing/claimed-deliveries.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { claim, claimOne, markOne, endLeases, rowOf, record } = claimHelpers(db);

describe('claim', () => {
  test('gives the worker all it needs to send', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = await createSendingCampaign(db, { applicationId, recipients: ['ada'] });

    expect(await claim(campaign)).toEqual([
      {
        deliveryId: expect.any(String),
        fence: 1,
        customUserId: 'ada',
        serviceUserId: null,
        attempts: 0,
        ageMs: expect.any(Number),
        testAddress: null,
        ambiguousAttempts: 0,
        profile: { email: 'ada@example.org' },
        timeZone: null,
        suppression: null,
        settingsVersion: 1,
      },
    ]);
    expect(
      (await readCampaignsToSend(db.sql, [campaign.campaignId])).get(campaign.campaignId),
    ).toEqual({
      campaignId: campaign.campaignId,
      applicationId,
      purpose: 'transactional',
      account: null,
      lane: 'express',
      channel: 'EMAIL',
      message: campaign.message,
      templates: null,
      trial: null,
      defaultSubject: null,
      isTracked: true,
      isKept: true,
      isOfAutomation: false,
      isHeard: false,
      isTest: false,
      recheck: null,
      expiresAt: campaign.expiresAt,
    });
  });

  test.each([
    ['EMAIL', 'transactional', { profile: { email: 'ada@example.org' }, timeZone: null }],
    ['EMAIL', 'marketing', { profile: { email: 'ada@example.org' }, timeZone: 'Asia/Tokyo' }],
    [
      'SMS',
      'transactional',
      { profile: { phoneNumber: '0151 12345678', phoneE164: '+4915112345678' }, timeZone: null },
    ],
    ['WEB_HOOK', 'marketing', { profile: {}, timeZone: 'Asia/Tokyo' }],
  ] as const)('gives no more than %s needs of a %s message', async (channel, purpose, needed) => {
    const { applicationId } = await createTestApplication(db);
    await configureChannel(db, applicationId, channel);
    const recipients = ['ada'];
    await registerUsers(db, applicationId, recipients);
    await db.sql.query(
      `update users set phone_e164 = '+4915112345678', custom_attributes = '{"timeZone": "Asia/Tokyo"}',
         fields = fields || '{"phoneNumber": "0151 12345678", "firstName": "Ada"}'
       where application_id = $1`,
      [applicationId],
    );
    const serviceUserId = systemIds.uuid();
    await db.sql.query(
      `insert into user_identities (application_id, service_user_id, user_id)
       select $1, $2, u.id from users u where u.application_id = $1`,
      [applicationId, serviceUserId],
    );
    const message = channel === 'EMAIL' ? { title: 'Hello', body: 'Text' } : { body: 'Text' };
    const campaign = newCampaign({ applicationId, channel, purpose, message, recipients });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);

    expect(await claim(campaign)).toMatchObject([
      { ...needed, serviceUserId: channel === 'WEB_HOOK' ? serviceUserId : null },
    ]);
  });

  test('gives a row to one worker only, however many ask at once', async () => {
    const campaign = await createSendingCampaign(db, { count: 150 });

    const claims = await Promise.all(
      ['a', 'b', 'c', 'd'].flatMap((owner) =>
        [1, 2, 3].map(() => claim(campaign, { owner, rowsMax: 40 })),
      ),
    );

    const ids = claims.flat().map(({ deliveryId }) => deliveryId);
    expect(ids).toHaveLength(150);
    expect(new Set(ids).size).toBe(150);
  });

  test('gives each of several chunks its own rows, and one that is asked for twice to the first who asks', async () => {
    const [one, two, none] = [
      await createSendingCampaign(db, { count: 3 }),
      await createSendingCampaign(db, { count: 250 }),
      await createSendingCampaign(db),
    ];
    await claim(none);
    const chunk = ({ campaignId }: NewCampaign, chunkNo = 0) => ({ campaignId, chunkNo });

    const claimed = await claimChunks(
      db,
      [chunk(two, 1), chunk(one), chunk(none), chunk(one), chunk(two), chunk(one, 7)],
      { owner: 'worker', leaseMs: LEASE_MS, rowsMax: 120 },
    );

    expect(claimed.map((rows) => rows.length)).toEqual([50, 3, 0, 0, 120, 0]);
    const { rows } = await db.sql.query<{ id: string; campaign_id: string; chunk_no: number }>(
      'select id, campaign_id, chunk_no from deliveries where id = any($1)',
      [claimed.flat().map(({ deliveryId }) => deliveryId)],
    );
    const homes = new Map(rows.map((row) => [row.id, `${row.campaign_id} ${row.chunk_no}`]));
    const homesOf = (index: number) => [
      ...new Set(claimed[index]?.map(({ deliveryId }) => homes.get(deliveryId))),
    ];
    expect([homesOf(0), homesOf(1), homesOf(4)]).toEqual([
      [`${two.campaignId} 1`],
      [`${one.campaignId} 0`],
      [`${two.campaignId} 0`],
    ]);
  });

  test('takes no more rows than asked for, and leaves those that are not due', async () => {
    const campaign = await createSendingCampaign(db, { count: 5 });
    await db.sql.query(
      `update deliveries set next_at = now() + interval '1 hour' where id = (select min(id::text)::uuid from deliveries where campaign_id = $1)`,
      [campaign.campaignId],
    );

    expect(await claim(campaign, { rowsMax: 3 })).toHaveLength(3);
    expect(await claim(campaign)).toHaveLength(1);
    expect(await claim(campaign)).toEqual([]);
  });

  test.each(['queued', 'paused', 'completed', 'canceled', 'failed'])(
    'takes nothing of a campaign that is %s',
    async (status) => {
      const campaign = await createSendingCampaign(db);
      await db.sql.query('update campaigns set status = $2 where id = $1', [
        campaign.campaignId,
        status,
      ]);

      expect(await claim(campaign)).toEqual([]);
    },
  );

  test('takes over a claim whose lease ended, and no other', async () => {
    const campaign = await createSendingCampaign(db);
    await claimOne(campaign);
    expect(await claim(campaign, { owner: 'worker-2' })).toEqual([]);

    await endLeases(campaign);

    expect(await claim(campaign, { owner: 'worker-2' })).toMatchObject([{ fence: 2 }]);
  });

  test('never takes a row that is being sent, even when its lease ended', async () => {
    const campaign = await createSendingCampaign(db);
    await markOne(campaign);
    await endLeases(campaign);

    expect(await claim(campaign, { owner: 'worker-2' })).toEqual([]);
  });

  test.each(['sent', 'failed', 'unknown', 'expired', 'canceled', 'waiting'])(
    'never takes a row that is %s',
    async (state) => {
      const campaign = await createSendingCampaign(db);
      await db.sql.query('update deliveries set state = $2 where campaign_id = $1', [
        campaign.campaignId,
        state,
      ]);

      expect(await claim(campaign)).toEqual([]);
    },
  );
});

describe('the fence', () => {
  test('a worker that comes back after its claim was taken over can neither mark nor release nor record', async () => {
    const campaign = await createSendingCampaign(db);
    const zombie = await claimOne(campaign);
    await endLeases(campaign);
    const [heir] = await claim(campaign, { owner: 'worker-2' });

    expect(await markSending(db, [zombie], LEASE_MS)).toEqual(new Set());
    await releaseClaims(db, [zombie], 0);
    expect(await rowOf(campaign)).toMatchObject({ state: 'claimed', owner: 'worker-2', fence: 2 });

    expect(await markSending(db, heir ? [heir] : [], LEASE_MS)).toEqual(
      new Set([heir?.deliveryId]),
    );
    expect(await record(zombie, { state: 'sent' })).toEqual(new Set());
    expect(await rowOf(campaign)).toMatchObject({ state: 'sending', fence: 2 });
  });
});

describe('release', () => {
  test('gives rows back unsent, due after the delay', async () => {
    const campaign = await createSendingCampaign(db);
    await releaseClaims(db, [await claimOne(campaign)], 5_000);
    const row = await rowOf(campaign);
    expect(row).toMatchObject({ state: 'pending', owner: null, attempts: 0 });
    expect(row.next_in_ms).toBeGreaterThan(3_000);
    expect(await claim(campaign)).toEqual([]);
  });

  test('leaves a row that is being sent', async () => {
    const campaign = await createSendingCampaign(db);
    await releaseClaims(db, [await markOne(campaign)], 0);

    expect(await rowOf(campaign)).toMatchObject({ state: 'sending' });
  });
});
