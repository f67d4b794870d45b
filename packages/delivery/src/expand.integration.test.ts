import { afterAll, describe, expect, test } from '@jest/globals';
import { updateApplication } from '@tidings/people/update-application';
import type { Database, Sql } from '@tidings/postgres/database';
import {
  configureEmail,
  connectTestDatabase,
  createSendingApplication,
  createTestApplication,
  expandAll,
  newCampaign,
  recount,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { acceptCampaign, acceptCampaigns, type NewCampaign } from './accept.ts';
import { expandNextChunks, expandSmallCampaigns, startCampaign } from './expand.ts';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';

const db = connectTestDatabase({ poolMax: 20 });
afterAll(() => db.close());

async function accepted(
  overrides: Partial<NewCampaign> & Pick<NewCampaign, 'applicationId'>,
): Promise<NewCampaign> {
  const campaign = newCampaign(overrides);
  await acceptCampaign(db, campaign);
  return campaign;
}

const deliveriesOf = (campaignId: string) => listDeliveries(db, campaignId, { limit: 100_000 });

describe('expansion', () => {
  test('happens exactly once, however many expanders work on a campaign at the same time', async () => {
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(9_001);
    await registerUsers(db, applicationId, recipients);
    const { campaignId } = await accepted({ applicationId, recipients });

    const dispatched = (
      await Promise.all([1, 2, 3, 4].map(() => expandAll(db, campaignId)))
    ).flat();

    expect(dispatched.toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 46 }, (_, chunkNo) => chunkNo),
    );
    const deliveries = await deliveriesOf(campaignId);
    expect(deliveries).toHaveLength(9_001);
    expect(new Set(deliveries.map(({ customUserId }) => customUserId))).toEqual(
      new Set(recipients),
    );
    expect((await readCampaign(db, applicationId, campaignId))?.counts).toMatchObject({
      total: 9_001,
      pending: 9_001,
    });
    expect((await recount(db, campaignId)).groups).toEqual({ pending: 9_001 });
    expect(await expandAll(db, campaignId)).toEqual([]);
    const { rows } = await db.sql.query('select expanded_at, status from campaigns where id = $1', [
      campaignId,
    ]);
    expect(rows).toEqual([{ expanded_at: expect.any(Date), status: 'sending' }]);
  }, 30_000);

  test.each([0, 1, 2])(
    'that is interrupted at step %i leaves nothing half done, and continues',
    async (step) => {
      const { applicationId } = await createSendingApplication(db);
      const recipients = someIds(450);
      await registerUsers(db, applicationId, recipients);
      const { campaignId } = await accepted({ applicationId, recipients });
      await startCampaign(db, campaignId);

      await expect(expandNextChunks(failingAfter(step), campaignId)).rejects.toThrow('cut off');

      expect(await recount(db, campaignId)).toEqual({ groups: {}, failures: {} });
      expect((await readCampaign(db, applicationId, campaignId))?.counts).toMatchObject({
        total: 450,
        pending: 450,
      });
      expect(await expandAll(db, campaignId)).toEqual([0, 1, 2]);
      expect((await recount(db, campaignId)).groups).toEqual({ pending: 450 });
    },
  );

  test('of a chunk another expander holds is left to that one, and the campaign is not called expanded meanwhile', async () => {
    const { applicationId } = await createSendingApplication(db);
    const { campaignId } = await accepted({ applicationId, recipients: someIds(5) });
    await startCampaign(db, campaignId);

    await db.transaction(async (sql) => {
      await sql.query('select 1 from campaign_chunks where campaign_id = $1 for update', [
        campaignId,
      ]);
      expect(await expandNextChunks(db, campaignId)).toBeNull();
    });

    const { rows } = await db.sql.query('select expanded_at from campaigns where id = $1', [
      campaignId,
    ]);
    expect(rows).toEqual([{ expanded_at: null }]);
  });

  test('is begun once, and logged', async () => {
    const { applicationId } = await createSendingApplication(db);
    const { campaignId } = await accepted({ applicationId });

    expect(await Promise.all([1, 2, 3].map(() => startCampaign(db, campaignId)))).toEqual([
      true,
      true,
      true,
    ]);

    const record = await readCampaign(db, applicationId, campaignId);
    expect(record).toMatchObject({ status: 'sending', timing: { startedAt: expect.any(Number) } });
    expect(
      (await listCampaignEvents(db, campaignId, { limit: 10 })).map(({ type }) => type),
    ).toEqual(['campaign.queued', 'campaign.started']);
  });

  test.each(['paused', 'completed', 'canceled', 'failed'])(
    'is not begun for a campaign that is %s',
    async (status) => {
      const { applicationId } = await createSendingApplication(db);
      const { campaignId } = await accepted({ applicationId });
      await db.sql.query('update campaigns set status = $2 where id = $1', [campaignId, status]);

      expect(await startCampaign(db, campaignId)).toBe(false);
    },
  );
});

describe('who is sent to', () => {
  test('an unknown recipient waits for the lookup; a chunk of such recipients is not dispatched', async () => {
    const { applicationId } = await createSendingApplication(db);
    await registerUsers(db, applicationId, ['ada']);
    const known = await accepted({ applicationId, recipients: ['ada', 'stranger'] });
    const unknown = await accepted({ applicationId, recipients: ['stranger'] });

    expect(await expandAll(db, known.campaignId)).toEqual([0]);
    expect(await expandAll(db, unknown.campaignId)).toEqual([]);

    expect(
      (await deliveriesOf(known.campaignId)).map(({ customUserId, status }) => [
        customUserId,
        status,
      ]),
    ).toEqual([
      ['ada', 'pending'],
      ['stranger', 'pending'],
    ]);
  });

  test('a user of another application with the same id is unknown', async () => {
    const [mine, other] = [await createSendingApplication(db), await createSendingApplication(db)];
    await registerUsers(db, other.applicationId, ['ada']);
    const { campaignId } = await accepted({
      applicationId: mine.applicationId,
      recipients: ['ada'],
    });

    expect(await expandAll(db, campaignId)).toEqual([]);
  });

  test.each([
    ['not configured', async () => {}],
    ['never tested', (applicationId: string) => configureEmail(db, applicationId)],
  ])(
    'where the channel is %s, known recipients fail, and unknown ones after the lookup',
    async (_name, configure) => {
      const { applicationId } = await createTestApplication(db);
      await configure(applicationId);
      await registerUsers(db, applicationId, ['ada']);
      const { campaignId } = await accepted({ applicationId, recipients: ['ada', 'stranger'] });

      expect(await expandAll(db, campaignId)).toEqual([]);

      const record = await readCampaign(db, applicationId, campaignId);
      expect(record).toMatchObject({
        counts: { total: 2, failed: 1, pending: 1 },
        failures: { channel_not_configured: 1 },
      });
      expect((await listCampaignEvents(db, campaignId, { limit: 10 })).at(-1)).toMatchObject({
        type: 'delivery.failed',
        status: 'failed',
        reason: 'channel_not_configured',
        deliveryId: expect.any(String),
      });
    },
  );

  test('an application may send through a channel that was never tested, if it says so', async () => {
    const { applicationId } = await createTestApplication(db);
    await configureEmail(db, applicationId);
    await updateApplication(db, applicationId, { settings: { sendUntested: true } });
    await registerUsers(db, applicationId, ['ada']);
    const { campaignId } = await accepted({ applicationId, recipients: ['ada'] });

    expect(await expandAll(db, campaignId)).toEqual([0]);
  });

  test('a test send goes to its address, through an untested channel, and to no user of that name', async () => {
    const { applicationId } = await createTestApplication(db);
    await configureEmail(db, applicationId);
    await registerUsers(db, applicationId, ['ada@example.org']);
    const { campaignId } = await accepted({
      applicationId,
      source: 'test',
      recipients: ['ada@example.org'],
    });

    expect(await expandAll(db, campaignId)).toEqual([0]);

    const { rows } = await db.sql.query(
      'select user_id, test_address, state from deliveries where campaign_id = $1',
      [campaignId],
    );
    expect(rows).toEqual([{ user_id: null, test_address: 'ada@example.org', state: 'pending' }]);
  });
});

/** The database, until `steps` statements of a transaction were run. */
function failingAfter(steps: number): Database {
  return {
    ...db,
    transaction: (work) =>
      db.transaction((sql) => {
        let left = steps;
        const query = (...args: unknown[]) => {
          left -= 1;
          if (left < 0) throw new Error('cut off');
          return (sql.query as (...all: unknown[]) => unknown)(...args);
        };
        return work({ query } as Sql).then(() => {
          throw new Error('cut off');
        });
      }),
  };
}

describe('small campaigns', () => {
  test('are started and expanded together, each exactly once, also concurrently', async () => {
    const { applicationId } = await createSendingApplication(db);
    const unready = await createTestApplication(db);
    const recipients = someIds(40);
    await registerUsers(db, applicationId, recipients);
    await registerUsers(db, unready.applicationId, recipients);
    const sent = recipients.map((recipient) =>
      newCampaign({ applicationId, recipients: [recipient] }),
    );
    const failed = newCampaign({
      applicationId: unready.applicationId,
      recipients: recipients.slice(0, 2),
    });
    const unknown = newCampaign({ applicationId, recipients: someIds(200) });
    const large = newCampaign({ applicationId, recipients: someIds(1_001) });
    await acceptCampaigns(db, [...sent, failed, unknown, large]);
    const ids = [...sent, failed, unknown, large].map(({ campaignId }) => campaignId);

    const results = await Promise.all(
      [ids, ids.toReversed(), ids].map((some) => expandSmallCampaigns(db, some)),
    );

    const chunks = results.flatMap((result) => result.chunks);
    expect(
      chunks
        .map(
          ({ campaignId, chunkNo, channel, lane, applicationId: of }) =>
            `${campaignId} ${chunkNo} ${of} ${channel} ${lane}`,
        )
        .toSorted(),
    ).toEqual(
      sent.map(({ campaignId }) => `${campaignId} 0 ${applicationId} EMAIL express`).toSorted(),
    );
    expect(results.flatMap(({ done }) => [...done]).toSorted()).toEqual(
      ids.filter((id) => id !== large.campaignId).toSorted(),
    );
    for (const { campaignId } of sent) {
      expect(await deliveriesOf(campaignId)).toMatchObject([{ status: 'pending' }]);
      expect(
        (await listCampaignEvents(db, campaignId, { limit: 10 })).map(({ type }) => type),
      ).toEqual(['campaign.queued', 'campaign.started']);
    }
    expect(await readCampaign(db, unready.applicationId, failed.campaignId)).toMatchObject({
      status: 'sending',
      counts: { failed: 2 },
      failures: { channel_not_configured: 2 },
    });
    expect((await recount(db, unknown.campaignId)).groups).toEqual({ pending: 200 });
    expect(await readCampaign(db, applicationId, large.campaignId)).toMatchObject({
      status: 'queued',
    });
    const { rows } = await db.sql.query<{ n: number }>(
      'select count(*)::int as n from campaigns where id = any($1) and expanded_at is not null',
      [ids],
    );
    expect(rows).toEqual([{ n: ids.length - 1 }]);
  });

  test('that are canceled, paused or none are left alone', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaigns = ['canceled', 'paused'].map(() => newCampaign({ applicationId }));
    await acceptCampaigns(db, campaigns);
    const ids = campaigns.map(({ campaignId }) => campaignId);
    await db.sql.query(
      `update campaigns set status = case when id = $1 then 'canceled' else 'paused' end where id = any($2)`,
      [ids[0], ids],
    );

    expect(
      await expandSmallCampaigns(db, [...ids, newCampaign({ applicationId }).campaignId]),
    ).toEqual({ chunks: [], done: new Set() });
    expect(await expandSmallCampaigns(db, [])).toEqual({ chunks: [], done: new Set() });
  });
});
