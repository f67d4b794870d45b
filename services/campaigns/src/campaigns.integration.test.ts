import { afterAll, describe, expect, test } from '@jest/globals';
import { TOPICS } from '@tidings/contracts/topics';
import { acceptCampaigns } from '@tidings/delivery/accept';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import type { Database } from '@tidings/postgres/database';
import {
  createOwnDatabase,
  createSendingApplication,
  eventually,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { campaignsHelpers, readPointers, chunkNosOf } from './testing/campaigns-service.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());
const { campaignsService, accepted, recordOf } = campaignsHelpers(db);

describe('a campaign', () => {
  test('that is queued is expanded, and each of its chunks dispatched once', async () => {
    const service = await campaignsService();
    const campaign = await accepted(450);
    const consumer = await service.consume();
    const reader = await readPointers(service.bus);

    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));
    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0, 1, 2]));
    await eventually(async () =>
      expect(
        (await service.bus.admin.committedOffsets('campaigns', TOPICS.campaigns)).values().next()
          .value,
      ).toBe(2n),
    );
    expect(await recordOf(campaign)).toMatchObject({
      status: 'sending',
      counts: { total: 450, pending: 450 },
    });
    await Promise.all([consumer.stop(), reader.stop()]);
  });

  test('of one recipient is one of a thousand that are expanded together, with any others in the queue', async () => {
    let transactions = 0;
    const counting: Database = {
      ...db,
      transaction: (work) => {
        transactions += 1;
        return db.transaction(work);
      },
    };
    const service = await campaignsService({ database: counting });
    const { applicationId } = await createSendingApplication(db);
    const recipients = someIds(1_000);
    await registerUsers(db, applicationId, recipients);
    const campaigns = recipients.map((recipient) =>
      newCampaign({ applicationId, recipients: [recipient], createdAt: Date.now() - 60_000 }),
    );
    for (let start = 0; start < campaigns.length; start += 100)
      await acceptCampaigns(db, campaigns.slice(start, start + 100));
    const large = await accepted(201);
    const announcements = [large, ...campaigns].map(({ campaignId }) => ({
      key: 'same partition',
      value: JSON.stringify({ campaignId }),
    }));
    await (
      await service.bus.producer()
    ).produce(TOPICS.campaigns, [{ key: 'same partition', value: 'unreadable' }, ...announcements]);

    const consumer = await service.consume();
    const reader = await readPointers(service.bus);

    await eventually(() => expect(reader.pointers).toHaveLength(1_002), { timeoutMs: 60_000 });
    await eventually(async () =>
      expect(
        (await service.bus.admin.committedOffsets('campaigns', TOPICS.campaigns)).values().next()
          .value,
      ).toBe(1_002n),
    );
    expect(new Set(reader.pointers.map(({ campaignId }) => campaignId)).size).toBe(1_001);
    expect(transactions).toBeLessThan(50);
    await Promise.all([consumer.stop(), reader.stop()]);
  }, 120_000);

  test('whose queue record was lost is expanded by the sweep', async () => {
    const service = await campaignsService();
    const campaign = await accepted(201);
    const reader = await readPointers(service.bus);

    await service.sweep();

    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0, 1]));
    // The sweep also dispatches chunks of earlier tests that are due again.
    const ours = reader.pointers.filter(({ campaignId }) => campaignId === campaign.campaignId);
    expect(new Set(ours.map(({ applicationId }) => applicationId))).toEqual(
      new Set([campaign.applicationId]),
    );
    await reader.stop();
  });

  test.each(['before its chunks were dispatched', 'before its second step'])(
    'whose expander was killed %s goes on where it ended',
    async (when) => {
      const service = await campaignsService();
      const campaign = await accepted(2_600);
      const reader = await readPointers(service.bus);
      await startCampaign(db, campaign.campaignId);
      await expandNextChunks(db, campaign.campaignId);
      if (when === 'before its second step') await service.dispatchDue();

      await service.sweep();

      const expected = Array.from({ length: 13 }, (_, chunkNo) => chunkNo);
      await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual(expected));
      expect(await recordOf(campaign)).toMatchObject({ counts: { total: 2_600, pending: 2_600 } });
      await reader.stop();
    },
  );

  test('goes from the queue record to completion', async () => {
    const service = await campaignsService();
    const campaign = await accepted(3);
    const consumer = await service.consume();
    const reader = await readPointers(service.bus);
    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));
    await eventually(() => expect(chunkNosOf(campaign, reader.pointers)).toEqual([0]));
    const claimed = await claimChunk(db, {
      campaignId: campaign.campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 10,
    });
    await changeDeliveryStates(
      db.sql,
      ['claimed'],
      claimed.map(({ deliveryId, fence }) => ({ deliveryId, fence, state: 'sent' })),
    );

    await service.sweep();

    expect(await recordOf(campaign)).toMatchObject({
      status: 'completed',
      counts: { total: 3, sent: 3, pending: 0 },
    });
    await Promise.all([consumer.stop(), reader.stop()]);
  });

  test('an invalid queue record is skipped, and the next campaign is expanded', async () => {
    const service = await campaignsService();
    const campaign = await accepted(1, { createdAt: Date.now() });
    const consumer = await service.consume();

    for (const value of [
      '',
      '{',
      'null',
      '5',
      '[]',
      '{}',
      '{"campaignId":"x"}',
      '{"campaignId":7}',
    ])
      await service.announceCampaign(value);
    await service.announceCampaign(
      JSON.stringify({ campaignId: '00000000-0000-7000-8000-000000000000' }),
    );
    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));

    await eventually(async () =>
      expect(await recordOf(campaign)).toMatchObject({ status: 'sending' }),
    );
    await consumer.stop();
  });
});
