import { afterAll, describe, expect, test } from '@jest/globals';
import {
  configureEmail,
  connectTestDatabase,
  createOwnDatabase,
  createSendingApplication,
  createTestApplication,
  newCampaign,
  someIds,
  untilBlockedBy,
} from '@tidings/testing';
import { acceptCampaign, acceptCampaigns, type NewCampaign } from './accept.ts';
import { readCampaignsToSend } from './campaigns-to-send.ts';
import { purgeIdempotencyKeys } from './idempotency-keys.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { readCampaign } from '@tidings/campaign-reports/reports';

const db = connectTestDatabase();
afterAll(() => db.close());

async function chunksOf(campaignId: string): Promise<string[][]> {
  const { rows } = await db.sql.query<{ recipients: string[] }>(
    'select recipients from campaign_chunks where campaign_id = $1 order by chunk_no',
    [campaignId],
  );
  return rows.map((row) => row.recipients);
}

describe('an accepted campaign', () => {
  test('is readable at once, with all its recipients pending', async () => {
    const { applicationId } = await createTestApplication(db);
    const campaign = newCampaign({ applicationId, recipients: ['ada', 'bob', 'ada'] });

    await acceptCampaign(db, campaign);

    const record = await readCampaign(db, applicationId, campaign.campaignId);
    expect(record).toMatchObject({
      campaignId: campaign.campaignId,
      channel: 'EMAIL',
      status: 'queued',
      source: 'api',
      message: campaign.message,
      recipients: { requested: 3, unique: 2 },
      counts: { total: 2, pending: 2, successful: 0, failed: 0 },
      timing: { createdAt: campaign.createdAt, startedAt: null, completedAt: null },
    });
    expect(
      (await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).map(({ type }) => type),
    ).toEqual(['campaign.queued']);
  });

  test('has each recipient once, in the order of first mention, for any characters in the ids', async () => {
    const { applicationId } = await createTestApplication(db);
    const odd = [
      'é',
      'e\u0301',
      '👩‍👩‍👧',
      'مرحبا',
      '__proto__',
      'constructor',
      '"',
      "'; drop table users; --",
      '\\',
      ' ',
      ' ada',
      'Ada',
      'x'.repeat(256),
    ];
    const campaign = newCampaign({ applicationId, recipients: [...odd, ...odd.toReversed()] });

    await acceptCampaign(db, campaign);

    expect(await chunksOf(campaign.campaignId)).toEqual([odd]);
  });

  test.each([
    [1, [1], 'express'],
    [200, [200], 'express'],
    [201, [200, 1], 'express'],
    [1000, [200, 200, 200, 200, 200], 'express'],
    [1001, [200, 200, 200, 200, 200, 1], 'bulk'],
  ])('of %i recipients has chunks of %j in the lane %s', async (count, sizes, lane) => {
    const { applicationId } = await createTestApplication(db);
    const campaign = newCampaign({ applicationId, recipients: someIds(count) });

    await acceptCampaign(db, campaign);

    expect((await chunksOf(campaign.campaignId)).map((chunk) => chunk.length)).toEqual(sizes);
    const { rows } = await db.sql.query('select lane from campaigns where id = $1', [
      campaign.campaignId,
    ]);
    expect(rows).toEqual([{ lane }]);
  });

  test('may have 100,000 recipients', async () => {
    const { applicationId } = await createTestApplication(db);
    const recipients = someIds(100_000);
    const campaign = newCampaign({
      applicationId,
      recipients: [...recipients, ...recipients.slice(0, 5)],
    });

    await acceptCampaign(db, campaign);

    expect((await chunksOf(campaign.campaignId)).flat()).toEqual(recipients);
  });

  test('is stored whole or not at all', async () => {
    const { applicationId } = await createTestApplication(db);
    const campaign = newCampaign({ applicationId, recipients: ['ada'] });
    await acceptCampaign(db, campaign);

    await expect(
      acceptCampaign(db, { ...campaign, recipients: ['bob', 'eve'] }),
    ).rejects.toMatchObject({ code: '23505' });

    expect(await chunksOf(campaign.campaignId)).toEqual([['ada']]);
    expect(await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).toHaveLength(1);
  });
});

const keyed = (campaign: NewCampaign, key: string, body = 'body'): NewCampaign => ({
  ...campaign,
  idempotency: {
    key,
    bodyHash: Buffer.from(body.padEnd(32, '.')),
    answer: `{"campaignId":"${campaign.campaignId}"}`,
  },
});
const replayOf = ({ campaignId }: NewCampaign) => ({
  outcome: 'replayed',
  answer: `{"campaignId":"${campaignId}"}`,
  isUntested: false,
});
const ACCEPTED = { outcome: 'accepted', isUntested: false };

async function storedIds(applicationId: string): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    'select id from campaigns where application_id = $1 order by id',
    [applicationId],
  );
  return rows.map((row) => row.id);
}

describe('campaigns accepted together', () => {
  test('are each stored with their own recipients, message and log', async () => {
    const applications = [await createTestApplication(db), await createTestApplication(db)];
    const campaigns = Array.from({ length: 20 }, (_, index) =>
      newCampaign({
        applicationId: applications[index % 2]?.applicationId ?? '',
        recipients: someIds(index * 30 + 1),
        message: { body: `"${index}", {}\\` },
        createdBy: `key:"${index}, {}`,
      }),
    );

    expect(await acceptCampaigns(db, campaigns)).toEqual(campaigns.map(() => ACCEPTED));

    for (const campaign of campaigns) {
      expect((await chunksOf(campaign.campaignId)).flat()).toEqual(campaign.recipients);
      expect(await readCampaign(db, campaign.applicationId, campaign.campaignId)).toMatchObject({
        message: campaign.message,
        createdBy: campaign.createdBy,
      });
      expect(await listCampaignEvents(db, campaign.campaignId, { limit: 10 })).toHaveLength(1);
    }
  });

  test('are stored all or none', async () => {
    const { applicationId } = await createTestApplication(db);
    const campaigns = [
      keyed(newCampaign({ applicationId }), 'k1'),
      newCampaign({ applicationId, message: { body: 'a\u0000' } }),
      newCampaign({ applicationId }),
    ];

    await expect(acceptCampaigns(db, campaigns)).rejects.toMatchObject({ code: '22P05' });

    expect(await storedIds(applicationId)).toEqual([]);
    // The key is still free.
    expect(await acceptCampaigns(db, campaigns.slice(0, 1))).toEqual([ACCEPTED]);
  });

  test('keep every digit of integers, for who reads the report and for who sends', async () => {
    const { applicationId } = await createTestApplication(db);
    const message = {
      body: 'b',
      customContent: {
        id: 9_007_199_254_740_993n,
        list: [-123_456_789_012_345_678_901_234_567_890n, 0.5],
      },
    };
    const campaign = newCampaign({ applicationId, channel: 'APP_PUSH', message });

    await acceptCampaigns(db, [campaign]);

    expect((await readCampaign(db, applicationId, campaign.campaignId))?.message).toEqual(message);
    expect(
      (await readCampaignsToSend(db.sql, [campaign.campaignId])).get(campaign.campaignId)?.message,
    ).toEqual(message);
  });

  test('know whether their channel is sent through untested', async () => {
    const unconfigured = await createTestApplication(db);
    const untested = await createTestApplication(db);
    await configureEmail(db, untested.applicationId);
    const daring = await createTestApplication(db);
    await configureEmail(db, daring.applicationId);
    await db.sql.query(
      `update applications set settings = '{"sendUntested":true}' where id = any($1)`,
      [[unconfigured.applicationId, daring.applicationId]],
    );
    const ready = await createSendingApplication(db);

    const accepted = await acceptCampaigns(
      db,
      [unconfigured, untested, daring, ready].map(({ applicationId }) =>
        newCampaign({ applicationId }),
      ),
    );

    expect(accepted).toEqual([
      ACCEPTED,
      ACCEPTED,
      { outcome: 'accepted', isUntested: true },
      ACCEPTED,
    ]);
  });
});

describe('an idempotency key', () => {
  test('is of one campaign, within one statement and after it', async () => {
    const { applicationId } = await createTestApplication(db);
    const [first, second, other, later] = Array.from({ length: 4 }, () =>
      newCampaign({ applicationId }),
    ) as [NewCampaign, NewCampaign, NewCampaign, NewCampaign];

    const together = await acceptCampaigns(db, [
      keyed(first, 'k'),
      keyed(second, 'k'),
      keyed(other, 'k', 'other body'),
    ]);
    const [afterwards] = await acceptCampaigns(db, [keyed(later, 'k')]);

    const winner =
      [first, second, other][together.findIndex(({ outcome }) => outcome === 'accepted')] ?? first;
    expect(await storedIds(applicationId)).toEqual([winner.campaignId]);
    expect(together.filter(({ outcome }) => outcome === 'accepted')).toHaveLength(1);
    expect(afterwards).toEqual(winner === other ? { outcome: 'conflict' } : replayOf(winner));
  });

  test('that another transaction is about to take is waited for: what it commits is seen', async () => {
    const { applicationId } = await createTestApplication(db);
    const [first, second] = [newCampaign({ applicationId }), newCampaign({ applicationId })];

    const waiting = await db.transaction(async (sql) => {
      await acceptCampaigns({ ...db, sql }, [keyed(first, 'k')]);
      const promise = acceptCampaigns(db, [keyed(second, 'k')]);
      await untilBlockedBy(db, sql);
      return { promise };
    });

    expect(await waiting.promise).toEqual([replayOf(first)]);
    expect(await storedIds(applicationId)).toEqual([first.campaignId]);
  });

  test('that another transaction took and gave back is free', async () => {
    const { applicationId } = await createTestApplication(db);
    const [first, second] = [newCampaign({ applicationId }), newCampaign({ applicationId })];
    let waiting: Promise<unknown> = Promise.resolve();

    const rolledBack = db.transaction(async (sql) => {
      await acceptCampaigns({ ...db, sql }, [keyed(first, 'k')]);
      waiting = acceptCampaigns(db, [keyed(second, 'k')]);
      await untilBlockedBy(db, sql);
      throw new Error('gone');
    });

    await expect(rolledBack).rejects.toThrow('gone');
    expect(await waiting).toEqual([ACCEPTED]);
    expect(await storedIds(applicationId)).toEqual([second.campaignId]);
  });

  test('is deleted when it is old, the oldest first, in bounded steps; its campaign stays', async () => {
    const own = await createOwnDatabase();
    try {
      const { applicationId } = await createTestApplication(own);
      const campaigns = ['8 days', '7 days 1 minute', '6 days 23 hours', '0'].map((age) =>
        keyed(newCampaign({ applicationId }), age),
      );
      await acceptCampaigns(own, campaigns);
      await own.sql.query('update idempotency_keys set created_at = now() - key::interval');
      const keys = async () =>
        (
          await own.sql.query<{ key: string }>(
            'select key from idempotency_keys order by created_at',
          )
        ).rows.map((row) => row.key);

      expect(await purgeIdempotencyKeys(own, { days: 7, limit: 1 })).toBe(1);
      expect(await keys()).toEqual(['7 days 1 minute', '6 days 23 hours', '0']);
      expect(await purgeIdempotencyKeys(own, { days: 7, limit: 10 })).toBe(1);
      expect(await purgeIdempotencyKeys(own, { days: 7, limit: 10 })).toBe(0);

      expect(await keys()).toEqual(['6 days 23 hours', '0']);
      expect(
        await acceptCampaigns(own, [keyed(newCampaign({ applicationId }), '8 days', 'other body')]),
      ).toEqual([ACCEPTED]);
    } finally {
      await own.close();
    }
  });
});
