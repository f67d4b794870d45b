import { afterAll, describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { TOPICS } from '@tidings/contracts/topics';
import type { Database } from '@tidings/postgres/database';
import { systemClock } from '@tidings/platform';
import { archiveSegment } from '@tidings/segments/segments';
import { createOwnDatabase, eventually } from '@tidings/testing';
import { handleQueuedCampaigns } from './handle-queued-campaigns.ts';
import { createSnapshotTaker } from './take-snapshots.ts';
import { campaignsHelpers, unending } from './testing/campaigns-service.ts';
import { excluding, german, ofSegment, segmentCampaigns } from './testing/segment-campaigns.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase({ poolMax: 8 });
afterAll(() => db.close());
const { campaignsService, recordOf } = campaignsHelpers(db);
const { application, write, accept, takeAll, take, recipientsOf, eventsOf, control } =
  segmentCampaigns(db);

describe('a campaign to a segment', () => {
  test('gets the registered users who are in it when it begins, and keeps condition and version', async () => {
    const applicationId = await application(3);
    const campaign = await accept(applicationId);
    await write(applicationId, 'german', { all: [german, { not: { field: 'city', is: 'Bonn' } }] });
    await db.sql.query(
      `update users set registered_at = null where application_id = $1 and custom_user_id = 'user 2'`,
      [applicationId],
    );

    await takeAll();

    expect(await recipientsOf(campaign)).toEqual(['user 0', 'user 1']);
    expect(await recordOf(campaign)).toMatchObject({
      status: 'sending',
      recipients: { requested: 2, unique: 2 },
      counts: { total: 2, pending: 2 },
      audience: {
        segment: 'german',
        version: 2,
        condition: { all: [german, { not: { field: 'city', is: 'Bonn' } }] },
        exclude: null,
        recheck: false,
        snapshotAt: expect.any(Number),
        warnings: [],
      },
    });
    expect(await eventsOf(campaign)).toEqual([
      'campaign.queued',
      'campaign.snapshot_taken',
      'campaign.started',
    ]);
  });

  test('leaves out those of another segment', async () => {
    const applicationId = await application(3);
    await write(applicationId, 'first', { field: 'email', is: 'ada@example.org' });
    await write(applicationId, 'named', { not: { segment: 'german' } });
    const campaign = await accept(
      applicationId,
      ofSegment({
        segment: null,
        condition: { any: [german, { field: 'country', is: 'FR' }] },
        exclude: { segment: 'named', version: null, condition: null },
      }),
    );

    await takeAll();

    expect(await recipientsOf(campaign)).toEqual(['user 0', 'user 1', 'user 2']);
    expect((await recordOf(campaign))?.audience?.exclude).toEqual({
      segment: 'named',
      version: 1,
      condition: { not: german },
    });
  });

  test('of more than a thousand users is large, in chunks of 200', async () => {
    const campaign = await accept(await application(1_001));

    const { large } = await takeAll();

    expect(large).toEqual(['large']);
    const { rows } = await db.sql.query(
      `select chunk_no, lane, jsonb_array_length(recipients) as n from campaign_chunks where campaign_id = $1 order by 1`,
      [campaign.campaignId],
    );
    expect(rows).toEqual([
      ...[0, 1, 2, 3, 4].map((no) => ({ chunk_no: no, lane: 'bulk', n: 200 })),
      { chunk_no: 5, lane: 'bulk', n: 1 },
    ]);
    expect(new Set(await recipientsOf(campaign)).size).toBe(1_001);
  });

  test('of nobody is completed, with a warning', async () => {
    const campaign = await accept(
      await application(1),
      ofSegment({ segment: null, condition: { field: 'country', is: 'XX' } }),
    );

    const { sweep } = await takeAll();
    await sweep();

    expect(await recordOf(campaign)).toMatchObject({
      status: 'completed',
      counts: { total: 0, pending: 0 },
      audience: { warnings: [{ code: 'empty_segment', pointer: '/segment' }] },
    });
  });

  test('of more than the maximum fails, and says so', async () => {
    const campaign = await accept(await application(3));

    expect(await take(campaign, { recipientsMax: 2 })).toEqual({
      outcome: 'failed',
      reason: 'too_many_recipients',
    });

    expect(await recipientsOf(campaign)).toEqual([]);
    expect(await recordOf(campaign)).toMatchObject({
      status: 'failed',
      failureReason: 'too_many_recipients',
      counts: { total: 0 },
    });
    expect(await eventsOf(campaign)).toEqual([
      'campaign.queued',
      'campaign.failed: More than 2 users are in the segment.',
    ]);
  });

  test('of exactly the maximum is sent', async () => {
    const campaign = await accept(await application(3));

    expect(await take(campaign, { recipientsMax: 3 })).toMatchObject({ recipients: 3 });
  });

  test.each([
    ['its segment', ofSegment({ segment: 'gone' })],
    ['the segment that it excludes', ofSegment({ exclude: excluding('gone') })],
    ['one that its condition names', ofSegment({ segment: null, condition: { segment: 'gone' } })],
  ])('fails if %s is not there', async (_what, audience) => {
    const campaign = await accept(await application(1), audience);

    await takeAll();

    expect(await recordOf(campaign)).toMatchObject({
      status: 'failed',
      failureReason: 'segment_not_found',
    });
    expect(await eventsOf(campaign)).toContain(
      'campaign.failed: A segment of the campaign does not exist: gone.',
    );
  });

  test('fails if the segments of its condition have grown beyond the bound', async () => {
    const applicationId = await application(1);
    const condition: Condition = { any: Array.from({ length: 5 }, () => ({ segment: 'german' })) };
    const campaign = await accept(applicationId, ofSegment({ segment: null, condition }));
    await write(applicationId, 'german', { any: Array.from({ length: 50 }, () => german) });

    await takeAll();

    expect(await recordOf(campaign)).toMatchObject({ failureReason: 'condition_too_large' });
    expect(await eventsOf(campaign)).toContain(
      'campaign.failed: The condition has more than 200 leaves with those of its segments.',
    );
  });

  test('that expired before fails, and says so', async () => {
    const campaign = await accept(await application(1), ofSegment(), { expiresAt: Date.now() - 1 });

    expect(await take(campaign)).toEqual({ outcome: 'gone' });
    await takeAll();

    expect(await recordOf(campaign)).toMatchObject({ failureReason: 'expired' });

    expect(await eventsOf(campaign)).toEqual([
      'campaign.queued',
      'campaign.failed: The campaign expired before its recipients were read.',
    ]);
  });

  test('is not looked at by what expands others, nor completed', async () => {
    const campaign = await accept(await application(1), ofSegment(), {
      createdAt: Date.now() - 60_000,
    });
    const service = await campaignsService();

    await service.sweep();

    expect(await recordOf(campaign)).toMatchObject({ status: 'queued', counts: { total: 0 } });
    expect(await control(campaign, 'pause')).toEqual({ outcome: 'illegal', status: 'queued' });
    await control(campaign, 'cancel');
  });

  test('is read at once when it is queued', async () => {
    const service = await campaignsService();
    const taker = createSnapshotTaker({ ...service, clock: systemClock });
    const campaign = await accept(await application(2));
    let woken: Promise<void> | undefined;
    const consumer = await service.bus.consume({
      group: 'campaigns',
      topics: [TOPICS.campaigns],
      handleBatch: (batch) =>
        handleQueuedCampaigns(
          {
            ...service,
            onOthers() {
              woken = taker.takeAll(unending);
            },
          },
          batch,
        ),
    });

    await service.announceCampaign(JSON.stringify({ campaignId: campaign.campaignId }));

    await eventually(async () => {
      await woken;
      expect(await recordOf(campaign)).toMatchObject({ status: 'sending', counts: { total: 2 } });
    });
    await consumer.stop();
  });
});

test('a segment that such a campaign names is not archived before its recipients are read', async () => {
  const applicationId = await application(1);
  await write(applicationId, 'other', german);
  await write(applicationId, 'named', german);
  const archive = (slug: string) => archiveSegment(db, { applicationId, slug, by: 'test' });
  const usedBy = ({ campaignId }: { readonly campaignId: string }) => ({
    segments: [],
    campaignIds: [campaignId],
    templates: [],
    automations: [],
  });
  const campaign = await accept(applicationId, ofSegment({ exclude: excluding('other') }));
  const second = await accept(
    applicationId,
    ofSegment({ segment: null, condition: { not: { segment: 'named' } } }),
  );

  expect(await archive('german')).toEqual(usedBy(campaign));
  expect(await archive('other')).toEqual(usedBy(campaign));
  expect(await archive('named')).toEqual(usedBy(second));
  await takeAll();

  expect(await Promise.all(['german', 'other', 'named'].map(archive))).toEqual([
    'archived',
    'archived',
    'archived',
  ]);
});

test('an attempt that fails is repeated later, and others go on', async () => {
  const [first, second] = [await accept(await application(1)), await accept(await application(1))];
  let now = 0;
  let isBroken = true;
  const failing: Database = {
    ...db,
    transaction: (work, options) =>
      db.transaction(
        (sql) =>
          work({
            query: (text: string, values?: unknown[]) =>
              isBroken && values?.includes(first.campaignId) === true
                ? sql.query('select 1 / 0')
                : sql.query(text, values),
          } as unknown as typeof sql),
        options,
      ),
  };
  const service = await campaignsService({ database: failing });
  const taker = createSnapshotTaker({ ...service, clock: { monotonicMs: () => now } });

  await taker.takeAll(unending);
  isBroken = false;
  await taker.takeAll(unending);
  expect(await recipientsOf(first)).toEqual([]);
  expect(await recipientsOf(second)).toEqual(['user 0']);

  now += 60_000;
  await taker.takeAll(unending);
  expect(await recipientsOf(first)).toEqual(['user 0']);
});

test('applications take turns, also with one that comes while others are read', async () => {
  const [busy, other] = [await application(1), await application(1)];
  const campaigns = [await accept(busy), await accept(busy), await accept(busy)];
  const order: string[] = [];
  let late: string | undefined;
  const watched: Database = {
    ...db,
    async transaction(work, options) {
      late ??= (await accept(other)).campaignId;
      return db.transaction(
        (sql) =>
          work({
            query(text: string, values?: unknown[]) {
              if (text.includes('is_locked')) order.push(String(values?.[0]));
              return sql.query(text, values);
            },
          } as unknown as typeof sql),
        options,
      );
    },
  };
  const service = await campaignsService();
  const taker = createSnapshotTaker({
    ...service,
    db: watched,
    clock: systemClock,
  });

  await taker.takeAll(unending);

  const [first, second, third] = campaigns.map(({ campaignId }) => campaignId);
  expect(order).toContain(late);
  expect(order.indexOf(late ?? '')).toBeLessThan(order.indexOf(third ?? ''));
  expect(order.filter((id) => id !== late)).toEqual([first, second, third]);
});
