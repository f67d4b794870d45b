import { afterAll, describe, expect, test } from '@jest/globals';
import { localTimeBounds, localTimeMs } from '@tidings/contracts/push/push-schedule';
import type { NewCampaign } from '@tidings/delivery/accept';
import { changeCampaign } from '@tidings/delivery/change-campaign';
import { releaseScheduled } from '@tidings/delivery/schedules';
import { createOwnDatabase } from '@tidings/testing';
import { campaignsHelpers, chunkNosOf, readPointers } from './testing/campaigns-service.ts';
import { ofSegment, segmentCampaigns } from './testing/segment-campaigns.ts';

// A campaigns service of the version before knows no local times: the deliveries that it makes are
// due at once. It looks at two lanes. Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 8 });
afterAll(() => db.close());
const { campaignsService, accepted, recordOf } = campaignsHelpers(db);
const { application, accept, takeAll } = segmentCampaigns(db);

const HOUR_MS = 3_600_000;
/** It has come in the first time zone, and in UTC it comes hours later. */
const sendAtLocal = new Date(Date.now() + 12 * HOUR_MS).toISOString().slice(0, 16);
const { first, last } = localTimeBounds(localTimeMs(sendAtLocal) ?? 0);
const local = (isLater: boolean) => ({
  expiresAt: last + HOUR_MS,
  schedule: { sendAt: first, sendAtLocal, isLater },
});

async function isExpandedBefore({ campaignId }: NewCampaign): Promise<boolean> {
  const { rows } = await db.sql.query(
    `select 1 from campaigns where id = $1 and lane in ('express', 'bulk')
     and status in ('queued', 'sending') and expanded_at is null`,
    [campaignId],
  );
  return rows.length > 0;
}

const lanesOf = async ({ campaignId }: NewCampaign): Promise<string[]> => {
  const { rows } = await db.sql.query<{ lane: string }>(
    `select lane from campaigns where id = $1
     union select lane from campaign_chunks where campaign_id = $1`,
    [campaignId],
  );
  return rows.map(({ lane }) => lane);
};

async function waitingOf({ campaignId }: NewCampaign): Promise<number> {
  const { rows } = await db.sql.query<{ waiting: number }>(
    `select count(*)::int as waiting from deliveries where campaign_id = $1 and next_at > now() + interval '1 hour'`,
    [campaignId],
  );
  return rows[0]?.waiting ?? 0;
}

describe('a campaign with a local time is not expanded by the version before', () => {
  test.each([1, 1_001])('that begins at once, to %d users', async (count) => {
    const campaign = await accepted(count, local(false));
    const isExpanded = await isExpandedBefore(campaign);

    await (await campaignsService()).sweep();

    expect(isExpanded).toBe(false);
    expect(await waitingOf(campaign)).toBe(count);
    expect(await lanesOf(campaign)).toEqual(['bulk']);
  });

  test('that was released', async () => {
    const campaign = await accepted(1, local(true));
    await releaseScheduled(db);
    const isExpanded = await isExpandedBefore(campaign);

    await (await campaignsService()).sweep();

    expect(isExpanded).toBe(false);
    expect(await waitingOf(campaign)).toBe(1);
    expect(await lanesOf(campaign)).toEqual(['bulk']);
  });

  test('to a segment', async () => {
    const campaign = await accept(await application(2), ofSegment(), local(false));
    const { sweep } = await takeAll();
    const isExpanded = await isExpandedBefore(campaign);

    await sweep();

    expect(isExpanded).toBe(false);
    expect(await waitingOf(campaign)).toBe(2);
    expect(await lanesOf(campaign)).toEqual(['bulk']);
  });
});

test('one that got an instant instead is sent like any other', async () => {
  const campaign = await accepted(1, local(true));
  const service = await campaignsService();
  const reader = await readPointers(service.bus);
  const sendAt = Date.now();

  await changeCampaign(db, {
    ...campaign,
    time: { sendAt, sendAtLocal: null, lastAt: sendAt },
    actor: 'test',
  });
  await releaseScheduled(db);
  await service.sweep();

  expect(await lanesOf(campaign)).toEqual(['bulk']);
  expect(chunkNosOf(campaign, reader.pointers)).toEqual([0]);
  expect(await recordOf(campaign)).toMatchObject({ status: 'sending' });
  await reader.stop();
});
