import { afterAll, describe, expect, test } from '@jest/globals';
import {
  createOwnDatabase,
  createSendingApplication,
  createSendingCampaign,
  expectSecondsLeft,
  expandAll,
  newCampaign,
  registerUsers,
} from '@tidings/testing';
import { acceptCampaign, type NewCampaign } from './accept.ts';
import { changeDeliveryStates } from './change-states.ts';
import {
  dueChunks,
  markDispatched,
  postponeChunks,
  putOffChunk,
  scheduleChunks,
  takeChunks,
  type RecordPosition,
} from './chunks.ts';
import { claimChunk, releaseClaims } from './claims.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

const IDLE_MS = 30_000;
const chunkOf = ({ campaignId }: NewCampaign, chunkNo = 0) => ({ campaignId, chunkNo });

/** Seconds until the chunk is due; null if never. */
async function dueInSeconds({ campaignId }: NewCampaign): Promise<number | null> {
  const { rows } = await db.sql.query<{ seconds: number | null }>(
    'select extract(epoch from due_at - now())::float8 as seconds from campaign_chunks where campaign_id = $1 and chunk_no = 0',
    [campaignId],
  );
  return rows[0]?.seconds ?? null;
}

/** Longer than anything that other tests left, so that it comes first. */
const makeDue = ({ campaignId }: NewCampaign) =>
  db.sql.query(
    `update campaign_chunks set due_at = now() - interval '1 day' where campaign_id = $1`,
    [campaignId],
  );
const take = (campaign: NewCampaign) => takeChunks(db, [chunkOf(campaign)], IDLE_MS);
const claim = (campaign: NewCampaign, leaseMs = 60_000) =>
  claimChunk(db, { ...chunkOf(campaign), owner: 'worker', leaseMs, rowsMax: 200 });
const isDue = async (campaign: NewCampaign) =>
  (await dueChunks(db)).some(({ campaignId }) => campaignId === campaign.campaignId);

async function settle(campaign: NewCampaign): Promise<void> {
  const claimed = await claim(campaign);
  await changeDeliveryStates(
    db.sql,
    ['claimed'],
    claimed.map(({ deliveryId, fence }) => ({ deliveryId, fence, state: 'sent' })),
  );
}

describe('a chunk that was expanded', () => {
  test('is due a few seconds after expansion, in which it is dispatched', async () => {
    const campaign = await createSendingCampaign(db, { count: 3 });

    expect(await isDue(campaign)).toBe(false);
    expectSecondsLeft(await dueInSeconds(campaign), 5);
  });

  test('is not due while its recipients are unknown', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = newCampaign({ applicationId, recipients: ['unknown'] });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);

    expect(await dueInSeconds(campaign)).toBeNull();
  });

  test('is due where one of its recipients can be sent to', async () => {
    const { applicationId } = await createSendingApplication(db);
    await registerUsers(db, applicationId, ['ada']);
    const campaign = newCampaign({ applicationId, recipients: ['unknown', 'ada'] });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);

    expectSecondsLeft(await dueInSeconds(campaign), 5);
  });
});

describe('a due chunk', () => {
  test('is found with the position of its last dispatch record', async () => {
    const campaign = await createSendingCampaign(db);
    await markDispatched(db, [
      { ...chunkOf(campaign), partition: 2, offset: 9_007_199_254_740_993n },
    ]);
    await makeDue(campaign);

    expect(
      (await dueChunks(db)).filter(({ campaignId }) => campaignId === campaign.campaignId),
    ).toEqual([
      {
        ...chunkOf(campaign),
        applicationId: campaign.applicationId,
        channel: 'EMAIL',
        lane: 'express',
        dispatchedPartition: 2,
        dispatchedOffset: 9_007_199_254_740_993n,
      },
    ]);
  });

  test.each([
    [
      'looked at',
      (campaign: NewCampaign, read: RecordPosition) =>
        scheduleChunks(db, [{ ...chunkOf(campaign), read }]),
    ],
    [
      'put off',
      (campaign: NewCampaign, read: RecordPosition) =>
        putOffChunk(db, chunkOf(campaign), { delayMs: 0, read }),
    ],
  ] as const)(
    'whose last record was read and the chunk %s has no unread record; a later record is unread',
    async (_name, handle) => {
      const campaign = await createSendingCampaign(db);
      const placeOfPointer = async () =>
        (await dueChunks(db)).find(({ campaignId }) => campaignId === campaign.campaignId)
          ?.dispatchedOffset;
      await markDispatched(db, [{ ...chunkOf(campaign), partition: 2, offset: 8n }]);

      await handle(campaign, { partition: 2, offset: 7n });
      await makeDue(campaign);
      expect(await placeOfPointer()).toBe(8n);
      await handle(campaign, { partition: 1, offset: 8n });
      await makeDue(campaign);
      expect(await placeOfPointer()).toBe(8n);

      await handle(campaign, { partition: 2, offset: 8n });
      await makeDue(campaign);
      expect(await placeOfPointer()).toBeNull();
    },
  );

  test('is given to one of those who ask at the same time, and then not before a grace', async () => {
    const campaign = await createSendingCampaign(db);
    await makeDue(campaign);

    const taken = (await Promise.all([1, 2, 3, 4].map(() => take(campaign)))).flat();

    expect(taken).toEqual([
      {
        ...chunkOf(campaign),
        applicationId: campaign.applicationId,
        channel: 'EMAIL',
        lane: 'express',
      },
    ]);
    expectSecondsLeft(await dueInSeconds(campaign), 5);
    expect(await take(campaign)).toEqual([]);
  });

  test('that is held under a lease is due when the lease ends', async () => {
    const campaign = await createSendingCampaign(db, { count: 2 });
    await claim(campaign, 40_000);
    await makeDue(campaign);

    expect(await take(campaign)).toEqual([]);
    expectSecondsLeft(await dueInSeconds(campaign), 40);
  });

  test('whose retries are later is due with the first of them', async () => {
    const campaign = await createSendingCampaign(db, { count: 2 });
    const [first, second] = await claim(campaign);
    if (!first || !second) throw new Error('not claimed');
    await releaseClaims(db, [first], 600_000);
    await releaseClaims(db, [second], 300_000);
    await makeDue(campaign);

    expect(await take(campaign)).toEqual([]);
    expectSecondsLeft(await dueInSeconds(campaign), 300);
  });

  test('with nothing left to send is never due again', async () => {
    const campaign = await createSendingCampaign(db, { count: 2 });
    await settle(campaign);
    await makeDue(campaign);

    expect(await take(campaign)).toEqual([]);
    expect(await dueInSeconds(campaign)).toBeNull();
  });

  async function setStatus(campaign: NewCampaign, status: string): Promise<void> {
    await db.sql.query('update campaigns set status = $2 where id = $1', [
      campaign.campaignId,
      status,
    ]);
    await makeDue(campaign);
  }

  test('of a paused campaign is looked at later', async () => {
    const campaign = await createSendingCampaign(db);
    await setStatus(campaign, 'paused');

    expect(await take(campaign)).toEqual([]);
    expectSecondsLeft(await dueInSeconds(campaign), IDLE_MS / 1000);
  });

  test.each(['completed', 'canceled', 'failed'])(
    'of a campaign that is %s is not dispatched',
    async (status) => {
      const campaign = await createSendingCampaign(db);
      await setStatus(campaign, status);

      expect(await take(campaign)).toEqual([]);
      expect(await dueInSeconds(campaign)).toBeNull();
    },
  );

  test('of an expired campaign is not dispatched', async () => {
    const campaign = await createSendingCampaign(db);
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);
    await makeDue(campaign);

    expect(await take(campaign)).toEqual([]);
  });

  test('whose record is unread is postponed', async () => {
    const campaign = await createSendingCampaign(db);
    await makeDue(campaign);

    await postponeChunks(db, [chunkOf(campaign)], IDLE_MS);

    expectSecondsLeft(await dueInSeconds(campaign), 30);
  });

  test('that was scheduled for an earlier time meanwhile is not put off', async () => {
    const campaign = await createSendingCampaign(db);

    await postponeChunks(db, [chunkOf(campaign)], IDLE_MS);

    expectSecondsLeft(await dueInSeconds(campaign), 5);
  });
});

describe('a worker that is done with a chunk', () => {
  test('makes it due with the first of its retries', async () => {
    const campaign = await createSendingCampaign(db);
    await releaseClaims(db, await claim(campaign), 2_000);

    await scheduleChunks(db, [chunkOf(campaign)]);

    expectSecondsLeft(await dueInSeconds(campaign), 2);
  });

  test('never makes it later than it is', async () => {
    const campaign = await createSendingCampaign(db);
    await releaseClaims(db, await claim(campaign), 600_000);
    await scheduleChunks(db, [chunkOf(campaign)]);
    expectSecondsLeft(await dueInSeconds(campaign), 5);

    await db.sql.query('update campaign_chunks set due_at = null where campaign_id = $1', [
      campaign.campaignId,
    ]);
    await scheduleChunks(db, [chunkOf(campaign)]);
    expectSecondsLeft(await dueInSeconds(campaign), 600);
  });

  test('of several chunks by their own rows; a chunk named twice by its last record', async () => {
    const [soon, later, done] = [
      await createSendingCampaign(db),
      await createSendingCampaign(db),
      await createSendingCampaign(db),
    ];
    await releaseClaims(db, await claim(soon), 2_000);
    await releaseClaims(db, await claim(later), 30_000);
    await db.sql.query(`update deliveries set state = 'sent' where campaign_id = $1`, [
      done.campaignId,
    ]);
    await db.sql.query('update campaign_chunks set due_at = null where campaign_id = any($1)', [
      [soon, later, done].map(({ campaignId }) => campaignId),
    ]);
    await markDispatched(db, [{ ...chunkOf(soon), partition: 1, offset: 20n }]);

    await scheduleChunks(db, [
      { ...chunkOf(soon), read: { partition: 1, offset: 20n } },
      chunkOf(later),
      { ...chunkOf(soon), read: { partition: 1, offset: 11n } },
      chunkOf(done),
    ]);

    expectSecondsLeft(await dueInSeconds(soon), 2);
    expectSecondsLeft(await dueInSeconds(later), 30);
    expect(await dueInSeconds(done)).toBeNull();
    const { rows } = await db.sql.query(
      'select announced_offset from campaign_chunks where campaign_id = $1',
      [soon.campaignId],
    );
    expect(rows).toEqual([{ announced_offset: null }]);
  });

  test('leaves it as it is when nothing is left to send', async () => {
    const campaign = await createSendingCampaign(db);
    await settle(campaign);
    await db.sql.query('update campaign_chunks set due_at = null where campaign_id = $1', [
      campaign.campaignId,
    ]);

    await scheduleChunks(db, [chunkOf(campaign)]);

    expect(await dueInSeconds(campaign)).toBeNull();
  });
});
