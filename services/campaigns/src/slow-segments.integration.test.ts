import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { NewCampaign } from '@tidings/delivery/accept';
import { countSlowCampaigns } from '@tidings/delivery/slow-lane';
import { createOwnDatabase, eventually } from '@tidings/testing';
import { campaignsHelpers, unending } from './testing/campaigns-service.ts';
import { costlySegments } from './testing/costly-segments.ts';
import { segmentCampaigns } from './testing/segment-campaigns.ts';

const db = await createOwnDatabase({ poolMax: 12 });
afterAll(() => db.close());
const { recordOf } = campaignsHelpers(db);
const { application, accept, recipientsOf, eventsOf, control } = segmentCampaigns(db);
const { makeCostly, hold, taker } = costlySegments(db);

/** Nothing ends or begins by its time, however slow the machine is. */
const LONG = { fastMs: 600_000, slowMs: 600_000, retryMs: 600_000 };

beforeEach(async () => {
  await db.sql.query(`update campaigns set status = 'canceled' where status = 'queued'`);
});

/** As Postgres does when the time of a statement is over. */
async function timeOut(pid: number): Promise<void> {
  await db.sql.query('select pg_cancel_backend($1)', [pid]);
}

async function loseConnection(pid: number): Promise<void> {
  await db.sql.query('select pg_terminate_backend($1, 10000)', [pid]);
}

/** Their first tries took too long, in this order. */
async function slowCampaigns(...campaigns: readonly NewCampaign[]): Promise<void> {
  for (const { campaignId } of campaigns)
    await db.sql.query('update campaigns set snapshot_slow_at = clock_timestamp() where id = $1', [
      campaignId,
    ]);
}

/** The time after its last try is over. */
async function makeDue({ campaignId }: NewCampaign): Promise<void> {
  await db.sql.query(
    `update campaigns set snapshot_tried_at = now() - interval '1 day' where id = $1`,
    [campaignId],
  );
}

async function triesOf({ campaignId }: NewCampaign): Promise<number | undefined> {
  const { rows } = await db.sql.query<{ tries: number }>(
    'select snapshot_tries as tries from campaigns where id = $1',
    [campaignId],
  );
  return rows[0]?.tries;
}

const snapshotStatements = async () =>
  (
    await db.sql.query(
      `select from pg_stat_activity where application_name = 'tidings-snapshots' and state = 'active'
       and datname = current_database()`,
    )
  ).rowCount;

describe('while the first try of a costly segment runs', () => {
  test('another application is served, and no other campaign of its own is begun', async () => {
    const [costly, other] = [await application(1), await application(2)];
    const campaign = await accept(costly);
    const second = await accept(costly);
    makeCostly(campaign);
    await using lock = await hold();
    const { takeAll } = await taker(LONG);
    const first = takeAll(unending);
    await lock.isAwaited();
    const served = await accept(other);

    await takeAll(unending);

    expect(await lock.awaitedBy()).toHaveLength(1);
    expect(await recordOf(served)).toMatchObject({ status: 'sending', counts: { total: 2 } });
    expect(await recipientsOf(second)).toEqual([]);
    await lock.release();
    await first;
    expect(await recordOf(campaign)).toMatchObject({ status: 'sending' });
    expect(await recordOf(second)).toMatchObject({ status: 'sending' });
  });

  test('another process serves other applications, and leaves it alone', async () => {
    const campaign = await accept(await application(1));
    makeCostly(campaign);
    await using lock = await hold();
    const first = (await taker(LONG)).takeAll(unending);
    await lock.isAwaited();
    const served = await accept(await application(1));

    await (await taker(LONG)).takeAll(unending);

    expect(await recordOf(served)).toMatchObject({ status: 'sending' });
    expect(await lock.awaitedBy()).toHaveLength(1);
    await lock.release();
    await first;
  });
});

describe('the slow lane', () => {
  test('has one place, also of several processes, and first tries do not wait for it', async () => {
    const campaign = await accept(await application(1));
    const next = await accept(await application(1));
    await slowCampaigns(campaign, next);
    makeCostly(campaign, next);
    await using lock = await hold();
    const one = await taker(LONG);
    const slow = one.takeSlow(unending);
    await lock.isAwaited();
    const served = await accept(await application(1));
    const other = await taker(LONG);

    await other.takeSlow(unending);
    await one.takeAll(unending);
    const servedByOther = await accept(await application(1));
    await other.takeAll(unending);

    expect(await recordOf(served)).toMatchObject({ status: 'sending' });
    expect(await recordOf(servedByOther)).toMatchObject({ status: 'sending' });
    expect(await lock.awaitedBy()).toHaveLength(1);
    expect([await triesOf(campaign), await triesOf(next)]).toEqual([1, 0]);
    expect(await countSlowCampaigns(db)).toBe(2);
    await lock.release();
    await slow;
    expect(await recordOf(next)).toMatchObject({ status: 'sending' });
  });

  test('has an application once: with another campaign it stands at the end', async () => {
    const [greedy, other] = [await application(1), await application(1)];
    const campaigns = [await accept(greedy), await accept(greedy), await accept(greedy)];
    const late = await accept(other);
    await slowCampaigns(...campaigns, late);

    await (await taker()).takeSlow(unending);

    const { rows } = await db.sql.query<{ id: string }>(
      `select campaign_id as id from campaign_events where type = 'campaign.snapshot_taken'
         and campaign_id = any($1::uuid[]) order by seq`,
      [[...campaigns, late].map(({ campaignId }) => campaignId)],
    );
    const [first, second, third] = campaigns;
    expect(rows.map(({ id }) => id)).toEqual(
      [first, late, second, third].map((each) => each?.campaignId),
    );
  });

  test('sends an honest segment that takes longer than the first try', async () => {
    const campaign = await accept(await application(2));
    makeCostly(campaign);
    const lock = await hold();
    const { takeAll, takeSlow } = await taker(LONG);
    const first = takeAll(unending);
    await timeOut(await lock.isAwaited());
    await first;

    expect(await recordOf(campaign)).toMatchObject({
      status: 'queued',
      failureReason: null,
      audience: { warnings: [{ code: 'slow_segment', pointer: '/segment' }] },
    });
    await takeAll(unending);
    expect(await recipientsOf(campaign)).toEqual([]);
    const slow = takeSlow(unending);
    await lock.isAwaited();
    await lock.release();
    await slow;

    expect(await recipientsOf(campaign)).toEqual(['user 0', 'user 1']);
    expect(await eventsOf(campaign)).toEqual([
      'campaign.queued',
      'campaign.snapshot_slow: Its users were not read within 10 min.',
      'campaign.snapshot_taken',
      'campaign.started',
    ]);
  });

  test('ends a campaign that takes too long there too, and says what to do', async () => {
    const campaign = await accept(await application(1));
    await slowCampaigns(campaign);
    makeCostly(campaign);
    await using lock = await hold();
    const { takeSlow, lines } = await taker(LONG);
    const slow = takeSlow(unending);

    await timeOut(await lock.isAwaited());
    await slow;

    expect(await recordOf(campaign)).toMatchObject({
      status: 'failed',
      failureReason: 'segment_too_slow',
      counts: { total: 0 },
    });
    const { rows } = await db.sql.query(
      `select reason, detail from campaign_events where campaign_id = $1 and type = 'campaign.failed'`,
      [campaign.campaignId],
    );
    expect(rows).toEqual([
      {
        reason: 'segment_too_slow',
        detail:
          'Its users were not read within 10 min. Shorten the windows of its condition, or remove leaves about events.',
      },
    ]);
    expect(lines).toContainEqual(
      expect.objectContaining({
        msg: 'campaign to a segment failed; its event log says why',
        reason: 'segment_too_slow',
      }),
    );
    expect(await countSlowCampaigns(db)).toBe(0);
  });
});

test('the time of a try is over in Postgres too, in both lanes', async () => {
  const campaign = await accept(await application(1));
  makeCostly(campaign);
  await using lock = await hold();
  // On a slow machine another statement of the try may be the one that takes too long.
  const { takeAll, takeSlow } = await taker({
    fastMs: 500,
    slowMs: 500,
    triesMax: 1_000,
    retryMs: 0,
  });

  await eventually(
    async () => {
      await takeAll(unending);
      await takeSlow(unending);
      expect(await recordOf(campaign)).toMatchObject({ failureReason: 'segment_too_slow' });
    },
    { timeoutMs: 60_000 },
  );

  expect(await lock.awaitedBy()).toEqual([]);
  expect(await snapshotStatements()).toBe(0);
  expect(await eventsOf(campaign)).toEqual([
    'campaign.queued',
    'campaign.snapshot_slow: Its users were not read within 0.5 s.',
    'campaign.failed: Its users were not read within 0.5 s. Shorten the windows of its condition, or remove leaves about events.',
  ]);
}, 90_000);

describe.each([
  ['first', 'takeAll'],
  ['slow', 'takeSlow'],
] as const)('a %s try that fails otherwise', (lane, take) => {
  const accepted = async (): Promise<NewCampaign> => {
    const campaign = await accept(await application(1));
    if (lane === 'slow') await slowCampaigns(campaign);
    makeCostly(campaign);
    return campaign;
  };

  test('is repeated three times in all, each by another process', async () => {
    const campaign = await accepted();
    await using lock = await hold();
    for (let tries = 1; tries <= 3; tries += 1) {
      const trying = (await taker(LONG))[take](unending);
      await loseConnection(await lock.isAwaited());
      await trying;
      expect(await triesOf(campaign)).toBe(tries);
      await makeDue(campaign);
    }
    expect(await recordOf(campaign)).toMatchObject({ status: 'queued' });

    await (await taker(LONG))[take](unending);

    expect(await lock.awaitedBy()).toEqual([]);
    expect(await recordOf(campaign)).toMatchObject({
      status: 'failed',
      failureReason: 'segment_too_slow',
    });
    expect(await eventsOf(campaign)).toContain(
      'campaign.failed: Reading its users failed 3 times. Shorten the windows of its condition, or remove leaves about events.',
    );
  });

  test('is not repeated at once, by no process', async () => {
    const campaign = await accepted();
    const lock = await hold();
    const trying = (await taker(LONG))[take](unending);
    await loseConnection(await lock.isAwaited());
    await trying;
    await lock.release();

    await (await taker(LONG))[take](unending);
    expect([await triesOf(campaign), await recipientsOf(campaign)]).toEqual([1, []]);

    await makeDue(campaign);
    await (await taker(LONG))[take](unending);
    expect(await recipientsOf(campaign)).toEqual(['user 0']);
  });

  test('because its process stops does not count', async () => {
    const campaign = await accepted();
    const lock = await hold();
    const ending = new AbortController();
    const trying = (await taker(LONG))[take](ending.signal);
    await lock.isAwaited();

    ending.abort();
    await trying;

    expect([await lock.awaitedBy(), await triesOf(campaign)]).toEqual([[], 0]);
    await lock.release();
    await (await taker(LONG))[take](unending);
    expect(await recipientsOf(campaign)).toEqual(['user 0']);
  });

  test.each([
    ['it is canceled', (campaign: NewCampaign) => control(campaign, 'cancel')],
    [
      'it expires',
      ({ campaignId }: NewCampaign) =>
        db.sql.query('update campaigns set expires_at = now() where id = $1', [campaignId]),
    ],
  ])('because %s ends in Postgres too', async (_why, end) => {
    const campaign = await accepted();
    await using lock = await hold();
    const trying = (await taker({ ...LONG, watchMs: 10 }))[take](unending);
    await lock.isAwaited();

    await end(campaign);
    await trying;

    expect(await lock.awaitedBy()).toEqual([]);
    expect(await snapshotStatements()).toBe(0);
    expect(await recipientsOf(campaign)).toEqual([]);
  });
});

test('what waits in the slow lane can be canceled', async () => {
  const campaign = await accept(await application(1));
  await slowCampaigns(campaign);

  expect(await control(campaign, 'cancel')).toEqual({ outcome: 'done' });
  await (await taker()).takeSlow(unending);

  expect(await recordOf(campaign)).toMatchObject({ status: 'canceled', failureReason: null });
  expect((await db.sql.query('select from slow_snapshots')).rowCount).toBe(0);
});

test('a try that was written while the clock of Postgres was ahead does not hold the next one up', async () => {
  const campaign = await accept(await application(1));
  await db.sql.query(
    `update campaigns set snapshot_tries = 1, snapshot_tried_at = now() + interval '1 day' where id = $1`,
    [campaign.campaignId],
  );

  await (await taker()).takeAll(unending);

  expect(await recipientsOf(campaign)).toEqual(['user 0']);
});
