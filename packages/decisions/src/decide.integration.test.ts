import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { StoredWinner } from '@tidings/contracts/push/push-winner';
import type { CampaignTemplate } from '@tidings/contracts/push/templates';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { bulkCampaignsToExpand } from '@tidings/delivery/bulk';
import { carryOutActions } from '@tidings/delivery/chunk-actions';
import { readCampaignsToSend } from '@tidings/delivery/campaigns-to-send';
import { controlCampaign } from '@tidings/delivery/control';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { releaseScheduled } from '@tidings/delivery/schedules';
import { completeCampaigns, expireCampaigns } from '@tidings/delivery/sweeps';
import { drawOf, systemIds } from '@tidings/platform';
import {
  createOwnDatabase,
  createSendingApplication,
  expandAll,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { chooseByHand, decideDue, purgeDecisions } from './decide.ts';

// The job works over the whole database.
const db = await createOwnDatabase({ poolMax: 6 });
afterAll(() => db.close());

const HOUR_MS = 3_600_000;
const PERCENT = 40;
const winner: StoredWinner = { percent: PERCENT, by: 'clicked', after: '4h', afterMs: 4 * HOUR_MS };
const template = (slug: string): CampaignTemplate => ({
  slug,
  version: 1,
  share: 1,
  message: { title: 'Hi', body: slug },
  variants: [],
});
const templates = [template('a'), template('b')];
// Of three chunks.
const ids = someIds(450);
let applicationId = '';
beforeAll(async () => {
  ({ applicationId } = await createSendingApplication(db));
  await registerUsers(db, applicationId, ids);
});

async function begun(given: Partial<NewCampaign> = {}): Promise<string> {
  const campaign = newCampaign({ applicationId, recipients: ids, templates, winner, ...given });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return campaign.campaignId;
}

const recordOf = (campaignId: string) => readCampaign(db, applicationId, campaignId);
const isFirst = (campaignId: string, id: string): boolean => drawOf(campaignId, id) * 100 < PERCENT;

/** The rows of a campaign: who has one, how often. */
async function recipientsOf(campaignId: string): Promise<string[]> {
  const { rows } = await db.sql.query<{ id: string }>(
    'select custom_user_id as id from deliveries where campaign_id = $1 order by 1',
    [campaignId],
  );
  return rows.map(({ id }) => id);
}

/** Settles what there is: everyone who got `b` clicks, or none does. */
async function answer(campaignId: string, clicks: 'some' | 'none'): Promise<void> {
  const { rows } = await db.sql.query<{ id: string; recipient: string }>(
    `select id, custom_user_id as recipient from deliveries where campaign_id = $1 and state = 'pending'`,
    [campaignId],
  );
  const hasB = (recipient: string) => drawOf(campaignId, recipient) >= PERCENT / 200;
  await db.transaction((sql) =>
    changeDeliveryStates(
      sql,
      ['pending'],
      rows.map(({ id, recipient }) => ({
        deliveryId: id,
        fence: null,
        state: clicks === 'some' && hasB(recipient) ? 'clicked' : 'sent',
      })),
    ),
  );
}

const past = (campaignId: string, hours: number) =>
  db.sql.query(
    `update campaigns set started_at = started_at - $2 * interval '1 hour' where id = $1`,
    [campaignId, hours],
  );

const eventsOf = async (campaignId: string): Promise<string[]> => {
  const { rows } = await db.sql.query<{ text: string }>(
    `select type || ': ' || coalesce(detail, '') as text from campaign_events
     where campaign_id = $1 and type in ('campaign.decided', 'campaign.completed') order by seq`,
    [campaignId],
  );
  return rows.map(({ text }) => text);
};

test('no version that would expand it in full looks at its lane', async () => {
  const laneOf = async ({ campaignId }: NewCampaign): Promise<unknown> =>
    (await db.sql.query('select lane from campaigns where id = $1', [campaignId])).rows[0];
  const given = { applicationId, recipients: ids.slice(0, 5), templates, winner };
  const atOnce = newCampaign(given);
  const schedule = { sendAt: Date.now() - 1_000, sendAtLocal: null, isLater: true };
  const later = newCampaign({ ...given, schedule });
  for (const campaign of [atOnce, later]) await acceptCampaign(db, campaign);

  expect(await laneOf(atOnce)).toEqual({ lane: 'trial' });
  expect(await laneOf(later)).toEqual({ lane: 'scheduled' });
  await releaseScheduled(db);
  expect(await laneOf(later)).toEqual({ lane: 'trial' });
  expect(await bulkCampaignsToExpand(db, [])).toContain(atOnce.campaignId);
  for (const campaign of [atOnce, later]) await expandAll(db, campaign.campaignId);
  expect(await laneOf(atOnce)).toEqual({ lane: 'bulk' });
});

describe('until it is decided', () => {
  test('the drawn part has deliveries, and the rest waits', async () => {
    const campaignId = await begun();
    const first = ids.filter((id) => isFirst(campaignId, id));

    expect(first.length).toBeGreaterThan(100);
    expect(await recipientsOf(campaignId)).toEqual(first.toSorted());
    const record = await recordOf(campaignId);
    expect(record?.counts).toMatchObject({ total: 450, pending: 450 });
    expect(record?.winner).toMatchObject({
      percent: PERCENT,
      by: 'clicked',
      after: '4h',
      decideAt: (record?.timing.startedAt ?? 0) + 4 * HOUR_MS,
      waiting: 450 - first.length,
      decision: null,
    });
  });

  test('the campaign does not complete, and is expanded no further', async () => {
    const campaignId = await begun();
    await answer(campaignId, 'some');
    await completeCampaigns(db);
    await expandAll(db, campaignId);

    expect(await recordOf(campaignId)).toMatchObject({ status: 'sending' });
    expect((await recipientsOf(campaignId)).length).toBeLessThan(250);
  });

  test('nothing is decided before the time, while it is paused, or after it was canceled', async () => {
    const [early, paused, canceled] = [await begun(), await begun(), await begun()];
    await past(early, 3.9);
    for (const campaignId of [paused, canceled]) await past(campaignId, 5);
    const control = { applicationId, actor: 'test' };
    await controlCampaign(db, { ...control, campaignId: paused, action: 'pause' });
    await controlCampaign(db, { ...control, campaignId: canceled, action: 'cancel' });

    await decideDue(db, 20);

    for (const campaignId of [early, paused, canceled])
      expect((await recordOf(campaignId))?.winner?.decision).toBeNull();
    await controlCampaign(db, { ...control, campaignId: paused, action: 'resume' });
    await decideDue(db, 20);
    expect((await recordOf(paused))?.winner?.decision).toMatchObject({ choice: null });
  });
});

describe('when its time has come', () => {
  test('the rest gets the better template, and each recipient one delivery', async () => {
    const campaignId = await begun();
    await answer(campaignId, 'some');
    await past(campaignId, 4);

    await decideDue(db, 20);
    await expandAll(db, campaignId);

    expect(await recipientsOf(campaignId)).toEqual(ids.toSorted());
    const record = await recordOf(campaignId);
    expect(record?.winner).toMatchObject({ waiting: 0, decision: { choice: 1, isManual: false } });
    expect(record?.winner?.decision?.certainty).toBeGreaterThan(0.99);
    expect(record?.counts).toMatchObject({ total: 450 });
    expect((await readCampaignsToSend(db.sql, [campaignId])).get(campaignId)?.trial).toEqual({
      percent: PERCENT,
      choice: 1,
    });
    expect(await eventsOf(campaignId)).toEqual([
      expect.stringMatching(/^campaign\.decided: b@1, certainty \d+(\.\d)? %$/),
    ]);
  });

  test('it completes once all have an outcome', async () => {
    const campaignId = await begun();
    await answer(campaignId, 'some');
    await past(campaignId, 4);
    await decideDue(db, 20);
    await completeCampaigns(db);
    expect(await recordOf(campaignId)).toMatchObject({ status: 'sending' });

    await expandAll(db, campaignId);
    await answer(campaignId, 'none');
    await completeCampaigns(db);

    expect(await recordOf(campaignId)).toMatchObject({
      status: 'completed',
      counts: { total: 450, pending: 0, successful: 450 },
    });
  });

  test('processes beside each other decide once', async () => {
    const campaignId = await begun();
    await answer(campaignId, 'some');
    await past(campaignId, 4);

    await Promise.all(Array.from({ length: 4 }, () => decideDue(db, 20)));
    await expandAll(db, campaignId);

    expect(await eventsOf(campaignId)).toHaveLength(1);
    expect(await recipientsOf(campaignId)).toEqual(ids.toSorted());
  });

  test('its messages live as long as if they had been sent then', async () => {
    const campaignId = await begun();
    await past(campaignId, 4);
    await db.sql.query(
      `update campaigns set created_at = now() - interval '4 hours', expires_at = now() - interval '3 hours' where id = $1`,
      [campaignId],
    );
    await answer(campaignId, 'some');

    await decideDue(db, 20);

    const campaign = (await readCampaignsToSend(db.sql, [campaignId])).get(campaignId);
    expect(campaign?.expiresAt).toBeGreaterThan(Date.now() + 0.9 * HOUR_MS);
  });
});

describe('if none is better', () => {
  const undecided = async (): Promise<string> => {
    const campaignId = await begun();
    await answer(campaignId, 'none');
    await past(campaignId, 4);
    await decideDue(db, 20);
    return campaignId;
  };
  const choose = (campaignId: string, index = 0) =>
    chooseByHand(db, { applicationId, campaignId, index, actor: 'member:ada' });

  test('the rest gets nothing, and the campaign says so', async () => {
    const campaignId = await undecided();
    await expandAll(db, campaignId);
    await decideDue(db, 20);

    const record = await recordOf(campaignId);
    expect(record?.winner?.decision).toMatchObject({ choice: null, isManual: false });
    expect(record?.winner?.waiting).toBe(ids.filter((id) => !isFirst(campaignId, id)).length);
    expect((await recipientsOf(campaignId)).length).toBe(450 - (record?.winner?.waiting ?? 0));
    expect(await eventsOf(campaignId)).toEqual(['campaign.decided: none is better, certainty 0 %']);
  });

  test('a person may choose, once', async () => {
    const campaignId = await undecided();

    expect(await choose(campaignId)).toBe(true);
    expect(await choose(campaignId, 1)).toBe(false);
    await expandAll(db, campaignId);
    expect(await choose(campaignId, 1)).toBe(false);

    expect((await recordOf(campaignId))?.winner?.decision).toMatchObject({
      choice: 0,
      isManual: true,
    });
    expect(await recipientsOf(campaignId)).toEqual(ids.toSorted());
    expect((await eventsOf(campaignId)).at(-1)).toBe('campaign.decided: a@1, chosen by member:ada');
  });

  test('a person may choose before the time', async () => {
    const campaignId = await begun();

    expect(await choose(campaignId, 1)).toBe(true);
    await past(campaignId, 5);
    await decideDue(db, 20);

    expect((await recordOf(campaignId))?.winner?.decision).toMatchObject({
      choice: 1,
      certainty: null,
    });
  });

  test('of another application there is nothing to choose', async () => {
    const campaignId = await begun();
    const which = { applicationId: systemIds.uuid(), campaignId, index: 0, actor: 'x' };

    expect(await chooseByHand(db, which)).toBe(false);
  });

  test('a rest without a choice expires with its time, and the campaign completes', async () => {
    const campaignId = await undecided();
    await db.sql.query(`update campaigns set expires_at = now() where id = $1`, [campaignId]);

    await decideDue(db, 20);
    await expandAll(db, campaignId);
    await expireCampaigns(db);
    await completeCampaigns(db);

    const record = await recordOf(campaignId);
    const first = ids.filter((id) => isFirst(campaignId, id)).length;
    expect(record).toMatchObject({
      status: 'completed',
      counts: { total: 450, successful: first, expired: 450 - first },
    });
  });
});

test.each(['before', 'after'])(
  'a cancel %s what was sent first has outcomes cancels all',
  async (when) => {
    const campaignId = await begun();
    if (when === 'after') await answer(campaignId, 'none');
    const control = { applicationId, campaignId, actor: 'test' } as const;
    await controlCampaign(db, { ...control, action: 'cancel' });
    let position = await carryOutActions(db, null);
    for (let pass = 0; pass < 10; pass += 1) position = await carryOutActions(db, position);

    const first = ids.filter((id) => isFirst(campaignId, id)).length;
    expect(await recordOf(campaignId)).toMatchObject({
      status: 'canceled',
      counts: when === 'after' ? { canceled: 450 - first, successful: first } : { canceled: 450 },
    });
    expect(await recipientsOf(campaignId)).toEqual(ids.toSorted());
  },
);

test('a recipient who registers late waits, too', async () => {
  const campaignId = systemIds.uuid();
  const strangers = someIds(20).map((id) => `late-${id}`);
  await begun({ campaignId, recipients: strangers });
  await registerUsers(db, applicationId, strangers);

  expect(await recipientsOf(campaignId)).toEqual(
    strangers.filter((id) => isFirst(campaignId, id)).toSorted(),
  );
});

test('a decision goes with its campaign', async () => {
  const campaignId = await begun();
  await past(campaignId, 5);
  await decideDue(db, 20);
  await purgeDecisions(db);
  const count = async () =>
    (await db.sql.query('select from decisions where subject_id = $1', [campaignId])).rowCount;
  expect(await count()).toBe(1);

  await db.sql.query('delete from campaign_chunks where campaign_id = $1', [campaignId]);
  await db.sql.query('delete from campaigns where id = $1', [campaignId]);
  await purgeDecisions(db);

  expect(await count()).toBe(0);
});
