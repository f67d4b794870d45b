import { afterAll, expect, test } from '@jest/globals';
import { localTimeBounds, localTimeMs } from '@tidings/contracts/push/push-schedule';
import { createOwnDatabase, createSendingApplication, newCampaign } from '@tidings/testing';
import { acceptCampaign } from './accept.ts';
import { resumeChannel } from './channel-pauses.ts';
import { expandNextChunks, startCampaign } from './expand.ts';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { releaseScheduled } from './schedules.ts';
import { resolveUnknownRecipients } from './unknown-recipients.ts';

// Sweeps work over the whole database.
const db = await createOwnDatabase();
afterAll(() => db.close());

type User = {
  readonly zone?: unknown;
  readonly devices?: readonly string[];
  /** The last proof of its devices was of another user. */
  readonly isUnproved?: boolean;
};

async function register(applicationId: string, users: Readonly<Record<string, User>>) {
  for (const [name, { zone, devices = [], isUnproved = false }] of Object.entries(users)) {
    const { rows } = await db.sql.query<{ id: string }>(
      `insert into users (id, application_id, custom_user_id, registered_at, fields, custom_attributes)
       values (uuidv7(), $1, $2, now(), '{"email":"ada@example.org"}', $3) returning id`,
      [applicationId, name, JSON.stringify(zone === undefined ? {} : { timeZone: zone })],
    );
    for (const [index, deviceZone] of devices.entries())
      await db.sql.query(
        `insert into devices (application_id, device_id, user_id, proved_user_id, user_id_at_proof, kind, time_zone, seen_at)
         values ($1, gen_random_uuid()::text, $2, $2, case when $5::boolean then uuidv7() else $2 end, 'web_push', $3, now() - $4 * interval '1 day')`,
        [applicationId, rows[0]?.id, deviceZone, index, isUnproved],
      );
  }
}

async function application(timeZone?: string): Promise<string> {
  const { applicationId } = await createSendingApplication(db);
  if (timeZone !== undefined)
    await db.sql.query('update applications set settings = settings || $2 where id = $1', [
      applicationId,
      JSON.stringify({ timeZone }),
    ]);
  return applicationId;
}

/** Expands a campaign with a local time; it begins now. */
async function expanded(applicationId: string, recipients: readonly string[], local: string) {
  const campaign = newCampaign({
    applicationId,
    recipients,
    expiresAt: localTimeBounds(localTimeMs(local) ?? 0).last + 3_600_000,
    schedule: { sendAt: Date.now() - 1, sendAtLocal: local, isLater: false },
  });
  await acceptCampaign(db, campaign);
  await startCampaign(db, campaign.campaignId);
  const chunks = await expandNextChunks(db, campaign.campaignId);
  return { campaign, chunks };
}

async function instantsOf(campaignId: string): Promise<Record<string, string>> {
  const { rows } = await db.sql.query<{ name: string; at: Date; is_due: boolean }>(
    `select custom_user_id as name, next_at as at, next_at <= now() as is_due from deliveries where campaign_id = $1`,
    [campaignId],
  );
  return Object.fromEntries(
    rows.map(({ name, at, is_due: isDue }) => [
      name,
      isDue ? 'due' : at.toISOString().slice(0, 16),
    ]),
  );
}

/** Years ahead, so that all of it is later than now. The rules of these zones are those of today. */
const YEAR = new Date().getUTCFullYear() + 2;
/** The last Sunday of a month of that year. */
function lastSunday(month: number): string {
  const last = new Date(Date.UTC(YEAR, month, 0));
  return new Date(last.getTime() - last.getUTCDay() * 86_400_000).toISOString().slice(0, 10);
}

test('each recipient gets the instant of their own zone: attribute, device seen last, application', async () => {
  const applicationId = await application('America/New_York');
  const users: Record<string, User> = {
    attribute: { zone: 'Europe/Berlin', devices: ['Asia/Tokyo'] },
    device: { devices: ['Asia/Tokyo', 'Asia/Kolkata'] },
    application: {},
    unproved: { devices: ['Asia/Tokyo'], isUnproved: true },
    unknown: { zone: 'Mars/Olympus' },
    number: { zone: 5 },
    offset: { zone: '+02:00' },
    first: { zone: 'Pacific/Kiritimati' },
    last: { zone: 'Etc/GMT+12' },
  };
  await register(applicationId, users);

  const { campaign, chunks } = await expanded(
    applicationId,
    Object.keys(users),
    `${YEAR}-12-24T09:00`,
  );

  expect(await instantsOf(campaign.campaignId)).toEqual({
    attribute: `${YEAR}-12-24T08:00`,
    device: `${YEAR}-12-24T00:00`,
    application: `${YEAR}-12-24T14:00`,
    unproved: `${YEAR}-12-24T14:00`,
    unknown: `${YEAR}-12-24T14:00`,
    number: `${YEAR}-12-24T14:00`,
    offset: `${YEAR}-12-24T14:00`,
    first: `${YEAR}-12-23T19:00`,
    last: `${YEAR}-12-24T21:00`,
  });
  // No recipient is due: the chunk waits for the first of them.
  expect(chunks).toEqual([]);
  const { rows } = await db.sql.query<{ at: Date }>(
    'select due_at as at from campaign_chunks where campaign_id = $1',
    [campaign.campaignId],
  );
  expect(rows[0]?.at.toISOString().slice(0, 16)).toBe(`${YEAR}-12-23T19:00`);
});

test('without a zone anywhere it is UTC', async () => {
  const applicationId = await application();
  await register(applicationId, { ada: {} });

  const { campaign } = await expanded(applicationId, ['ada'], `${YEAR}-07-01T09:00`);

  expect(await instantsOf(campaign.campaignId)).toEqual({ ada: `${YEAR}-07-01T09:00` });
});

test.each([
  ['before the clock goes forward', `${lastSunday(3)}T01:59`, `${lastSunday(3)}T00:59`],
  ['skipped when it goes forward', `${lastSunday(3)}T02:30`, `${lastSunday(3)}T01:00`],
  ['after it went forward', `${lastSunday(3)}T03:00`, `${lastSunday(3)}T01:00`],
  ['twice when it goes back', `${lastSunday(10)}T02:30`, `${lastSunday(10)}T00:30`],
  ['after it went back', `${lastSunday(10)}T03:00`, `${lastSunday(10)}T02:00`],
])('a local time %s', async (_when, local, instant) => {
  const applicationId = await application();
  await register(applicationId, { ada: { zone: 'Europe/Berlin' } });

  const { campaign } = await expanded(applicationId, ['ada'], local);

  expect(await instantsOf(campaign.campaignId)).toEqual({ ada: instant });
});

test('who is late gets it at once, and is counted', async () => {
  const applicationId = await application();
  const local = new Date().toISOString().slice(0, 16);
  await register(applicationId, {
    east: { zone: 'Asia/Tokyo' },
    utc: { zone: 'UTC' },
    west: { zone: 'America/New_York' },
  });

  const { campaign, chunks } = await expanded(applicationId, ['east', 'utc', 'west'], local);

  expect(await instantsOf(campaign.campaignId)).toMatchObject({ east: 'due', utc: 'due' });
  expect((await instantsOf(campaign.campaignId))['west']).not.toBe('due');
  expect(chunks).toHaveLength(1);
  expect((await readCampaign(db, applicationId, campaign.campaignId))?.schedule).toMatchObject({
    sendAtLocal: local,
    localTimePassed: 2,
  });
});

test('who registers after the expansion gets it at the local time too', async () => {
  const applicationId = await application();
  const { campaign } = await expanded(applicationId, ['late', 'never'], `${YEAR}-12-24T09:00`);
  await register(applicationId, { late: { zone: 'Asia/Tokyo' } });

  await resolveUnknownRecipients(db);

  expect((await instantsOf(campaign.campaignId))['late']).toBe(`${YEAR}-12-24T00:00`);
});

test('a channel that goes on wakes who was tried already; others keep their local time', async () => {
  const applicationId = await application();
  await register(applicationId, { tried: {}, ada: { zone: 'Asia/Tokyo' }, bob: {} });
  const { campaign } = await expanded(
    applicationId,
    ['tried', 'ada', 'bob'],
    `${YEAR}-12-24T09:00`,
  );
  // As a worker leaves it that found the channel paused.
  await db.sql.query(
    `update deliveries set fence = 1, next_at = now() + interval '30 s' where campaign_id = $1 and custom_user_id = 'tried'`,
    [campaign.campaignId],
  );

  await resumeChannel(db, { applicationId, channel: 'EMAIL', version: 1 });

  expect(await instantsOf(campaign.campaignId)).toEqual({
    tried: 'due',
    ada: `${YEAR}-12-24T00:00`,
    bob: `${YEAR}-12-24T09:00`,
  });
});

test('a campaign without a local time is not held', async () => {
  const applicationId = await application('Asia/Tokyo');
  await register(applicationId, { ada: { zone: 'Asia/Tokyo' } });
  const campaign = newCampaign({
    applicationId,
    recipients: ['ada'],
    schedule: { sendAt: Date.now() - 1, sendAtLocal: null, isLater: true },
  });
  await acceptCampaign(db, campaign);

  expect(await releaseScheduled(db)).toEqual([
    { campaignId: campaign.campaignId, lane: 'express' },
  ]);
  await startCampaign(db, campaign.campaignId);
  await expandNextChunks(db, campaign.campaignId);

  expect(await instantsOf(campaign.campaignId)).toEqual({ ada: 'due' });
});
