import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createMemoryBus } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts/topics';
import { acceptCampaign } from '@tidings/delivery/accept';
import { expandNextChunks, startCampaign } from '@tidings/delivery/expand';
import { metricsRegistry } from '@tidings/platform';
import {
  createOwnDatabase,
  createSendingApplication,
  newCampaign,
  registerUsers,
  someIds,
} from '@tidings/testing';
import { reportBacklog } from './measure-backlog.ts';

// Its numbers are of the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

/** A sample as a scrape has it. */
async function sample(
  name: string,
  labels: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const metric = await metricsRegistry.getSingleMetric(name)?.get();
  return metric?.values.find((value) =>
    Object.entries(labels).every(([label, wanted]) => value.labels[label] === wanted),
  )?.value;
}

const stalledSeconds = async (): Promise<number | undefined> => {
  await reportBacklog({ db, admin: createMemoryBus().admin });
  return sample('tidings_stalled_campaign_seconds', { channel: 'EMAIL' });
};

/** An expanded campaign of three recipients, accepted an hour ago; nothing of it was sent. */
async function acceptedAnHourAgo(): Promise<string> {
  const { applicationId } = await createSendingApplication(db);
  const recipients = someIds(3);
  await registerUsers(db, applicationId, recipients);
  const campaign = newCampaign({ applicationId, recipients, createdAt: Date.now() - 3_600_000 });
  await acceptCampaign(db, campaign);
  await startCampaign(db, campaign.campaignId);
  while ((await expandNextChunks(db, campaign.campaignId)) !== null);
  return campaign.campaignId;
}

/** Sets when the recipients of a campaign, and its chunk, are due: minutes from now. */
async function makeDue(campaignId: string, minutes: { recipients: number; chunk: number }) {
  const due = "now() + $2 * interval '1 min'";
  await db.sql.query(`update deliveries set next_at = ${due} where campaign_id = $1`, [
    campaignId,
    minutes.recipients,
  ]);
  await db.sql.query(`update campaign_chunks set due_at = ${due} where campaign_id = $1`, [
    campaignId,
    minutes.chunk,
  ]);
}

test('a scrape tells what each channel has to send, and what each group has not read', async () => {
  const bus = createMemoryBus();
  const { applicationId } = await createSendingApplication(db);
  await acceptedAnHourAgo();
  await acceptCampaign(db, newCampaign({ applicationId, recipients: someIds(2) }));
  const producer = await bus.producer();
  await producer.produce(TOPICS.campaigns, [
    { key: 'a', value: '{}' },
    { key: 'b', value: '{}' },
  ]);

  await reportBacklog({ db, admin: bus.admin });

  expect(await sample('tidings_pending_recipients', { channel: 'EMAIL' })).toBe(5);
  expect(await sample('tidings_pending_recipients', { channel: 'SMS' })).toBe(0);
  expect(await sample('tidings_stalled_campaign_seconds', { channel: 'SMS' })).toBe(0);
  expect(
    await sample('tidings_consumer_lag_records', { group: 'campaigns', topic: TOPICS.campaigns }),
  ).toBe(2);
  expect(
    await sample('tidings_consumer_lag_records', { group: 'users-consumer', topic: TOPICS.ingest }),
  ).toBe(0);
});

describe('a campaign stalls', () => {
  beforeEach(() => db.sql.query("update campaigns set status = 'paused'"));

  test('from when its first recipient was due, also if its chunk is put off', async () => {
    await makeDue(await acceptedAnHourAgo(), { recipients: -40, chunk: 4 });

    expect(await stalledSeconds()).toBeGreaterThanOrEqual(40 * 60);
    expect(await stalledSeconds()).toBeLessThan(50 * 60);
  });

  test('from its acceptance, if it is not expanded', async () => {
    const { applicationId } = await createSendingApplication(db);
    await acceptCampaign(
      db,
      newCampaign({ applicationId, recipients: someIds(2), createdAt: Date.now() - 3_600_000 }),
    );

    expect(await stalledSeconds()).toBeGreaterThanOrEqual(3_600);
  });

  test('from its acceptance, if the users of its segment are not read, unless that is slow', async () => {
    const { applicationId } = await createSendingApplication(db);
    const condition = { field: 'country', is: 'DE' } as const;
    await acceptCampaign(
      db,
      newCampaign({
        applicationId,
        recipients: [],
        audience: { segment: null, version: null, condition, exclude: null, recheck: false },
        createdAt: Date.now() - 3_600_000,
      }),
    );

    expect(await stalledSeconds()).toBeGreaterThanOrEqual(3_600);

    await db.sql.query(
      `update campaigns set snapshot_slow_at = now() where lane = 'snapshot' and status = 'queued'`,
    );
    expect([await stalledSeconds(), await sample('tidings_slow_segment_campaigns', {})]).toEqual([
      0, 1,
    ]);
  });

  test('not while its recipients are held, and from the end of the hold', async () => {
    const campaignId = await acceptedAnHourAgo();
    await db.sql.query("update deliveries set reason = 'quiet_hours' where campaign_id = $1", [
      campaignId,
    ]);

    await makeDue(campaignId, { recipients: 300, chunk: 300 });
    expect(await stalledSeconds()).toBe(0);
    await makeDue(campaignId, { recipients: 300, chunk: 0 });
    expect(await stalledSeconds()).toBe(0);
    await makeDue(campaignId, { recipients: -5, chunk: -5 });
    expect(await stalledSeconds()).toBeGreaterThanOrEqual(300);
    expect(await stalledSeconds()).toBeLessThan(900);
  });

  test('only since its last outcome', async () => {
    const campaignId = await acceptedAnHourAgo();
    await makeDue(campaignId, { recipients: -40, chunk: -40 });
    const outcomeAt = (minutes: number) =>
      db.sql.query(
        `insert into campaign_counters (campaign_id, state, reason, shard, n, first_at, last_at)
         values ($1, 'sent', '', 0, 1, now(), now() - $2 * interval '1 min')
         on conflict (campaign_id, state, reason, shard) do update set last_at = excluded.last_at`,
        [campaignId, minutes],
      );

    await outcomeAt(10);
    expect(await stalledSeconds()).toBeGreaterThanOrEqual(600);
    expect(await stalledSeconds()).toBeLessThan(1_200);
    await outcomeAt(0);
    expect(await stalledSeconds()).toBe(0);
  });
});

test('paused campaigns are not in the backlog', async () => {
  await db.sql.query(`update campaigns set status = 'paused'`);

  await reportBacklog({ db, admin: createMemoryBus().admin });

  expect(await sample('tidings_pending_recipients', { channel: 'EMAIL' })).toBe(0);
});

test.each([
  ['does not stall before its time, whatever its age', 'scheduled', "now() + interval '1 hour'", 0],
  ['stalls from its time on', 'express', "now() - interval '2 hours'", 2],
])('a scheduled campaign %s', async (_what, lane, sendAt, hours) => {
  await db.sql.query("update campaigns set status = 'canceled'");
  const campaignId = await acceptedAnHourAgo();
  await db.sql.query(
    `update campaigns set status = 'queued', lane = $2, expanded_at = null,
       created_at = now() - interval '3 hours', send_at = ${sendAt} where id = $1`,
    [campaignId, lane],
  );

  expect(Math.floor(((await stalledSeconds()) ?? NaN) / 3_600)).toBe(hours);
});
