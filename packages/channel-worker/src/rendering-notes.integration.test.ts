import { afterAll, describe, expect, test } from '@jest/globals';
import type { NewCampaign } from '@tidings/delivery/accept';
import type { Database } from '@tidings/postgres/database';
import { connectTestDatabase, createFakeClock, eventually } from '@tidings/testing';
import { deliverChunkToInbox } from './deliver-to-inbox.ts';
import { inboxDependencies } from './inbox-worker.ts';
import { sendChunk } from './send-chunk.ts';
import { chunkOf, unending } from './testing/first-chunk.ts';
import { own, personalCampaigns, phone } from './testing/personal-campaigns.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { failingDatabase, testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { createApplication, createCampaign, outcomesOf } = personalCampaigns(db);

const LANES = ['express', 'bulk'] as const;
const PROFILES = 'custom_attributes';

async function createSms(lane: (typeof LANES)[number]): Promise<NewCampaign> {
  const applicationId = await createApplication('SMS', {
    ada: { ...phone(1), firstName: 'Ada' },
    eve: { ...phone(2), firstName: 'Eve' },
    bob: { ...phone(3), firstName: 'Bob' },
    mute: phone(4),
  });
  const campaign = await createCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ['ada', 'eve', 'bob', 'mute'],
    templates: own({ body: '{{ user.firstName }}' }),
  });
  await db.sql.query('update campaigns set lane = $2 where id = $1', [campaign.campaignId, lane]);
  return campaign;
}

async function notesOf(campaign: NewCampaign) {
  const { campaignId, chunkNo } = chunkOf(campaign);
  const { rows } = await db.sql.query<{ renderings: number; rendered_rows: string[] }>(
    'select renderings, rendered_rows from campaign_chunks where campaign_id = $1 and chunk_no = $2',
    [campaignId, chunkNo],
  );
  return { count: rows[0]?.renderings, rows: rows[0]?.rendered_rows };
}

/** What processes left that ended while they rendered it. */
async function leaveNotes(
  campaign: NewCampaign,
  { count, users }: { readonly count: number; readonly users?: readonly string[] },
): Promise<void> {
  const { campaignId, chunkNo } = chunkOf(campaign);
  await db.sql.query(
    `update campaign_chunks
    set renderings = $3, rendered_rows = (
      select coalesce(array_agg(id), '{}') from deliveries where campaign_id = $1 and custom_user_id = any($4)
    )
    where campaign_id = $1 and chunk_no = $2`,
    [campaignId, chunkNo, count, users ?? []],
  );
}

async function claimByAnother({ campaignId }: NewCampaign, customUserId: string): Promise<void> {
  await db.sql.query(
    `update deliveries
    set state = 'claimed', fence = fence + 1, owner = 'other', lease_until = now() + interval '1 h'
    where campaign_id = $1 and custom_user_id = $2`,
    [campaignId, customUserId],
  );
}

/** The database, and the notes of the campaign each time that profiles are read to be rendered. */
function watchNotes(campaign: NewCampaign) {
  const seen: Awaited<ReturnType<typeof notesOf>>[] = [];
  const query = async (...args: unknown[]): Promise<unknown> => {
    if (String(args[0]).includes(PROFILES) && String(args[0]).includes('registered_at'))
      seen.push(await notesOf(campaign));
    return (db.sql.query as (...all: unknown[]) => Promise<unknown>).apply(db.sql, args);
  };
  const watched: Database = { ...db, sql: { query: query as Database['sql']['query'] } };
  return { watched, seen };
}

async function sendWith(database: Database, campaign: NewCampaign): Promise<string[]> {
  const users: string[] = [];
  const channel = scriptedChannel(({ customUserId }) => {
    users.push(customUserId);
    return { status: 'sent' };
  });
  await sendChunk(
    testWorker(database, channel, { channelName: 'SMS' }),
    chunkOf(campaign),
    unending,
  );
  return users.toSorted();
}

const ENDED = {
  status: 'failed',
  reason: 'template_error',
  providerCode: 'limit',
  providerMessage: 'ended the process that rendered it',
  attempts: 0,
};

describe.each(LANES)('a personalised chunk of the %s lane', (lane) => {
  test('has a note while it is rendered', async () => {
    const campaign = await createSms(lane);
    const { watched, seen } = watchNotes(campaign);

    expect(await sendWith(watched, campaign)).toEqual(['ada', 'bob', 'eve']);

    expect(seen).toEqual([{ count: 1, rows: [] }]);
    expect(await notesOf(campaign)).toEqual({ count: 0, rows: [] });
  });

  test('that is rendered after another cause ended a process has no note any more', async () => {
    const campaign = await createSms(lane);
    await leaveNotes(campaign, { count: 2 });
    const { watched, seen } = watchNotes(campaign);

    await sendWith(watched, campaign);

    expect(seen).toEqual([{ count: 3, rows: [] }]);
    expect(await notesOf(campaign)).toEqual({ count: 0, rows: [] });
  });

  test('takes the note back after another failure', async () => {
    const campaign = await createSms(lane);

    await expect(
      sendWith(
        failingDatabase(db, PROFILES, () => true),
        campaign,
      ),
    ).rejects.toThrow('the database is away');

    expect(await notesOf(campaign)).toEqual({ count: 0, rows: [] });
  });

  test('waits before it is rendered if another process may have ended at it, while others are sent', async () => {
    const [campaign, other] = [await createSms(lane), await createSms(lane)];
    await leaveNotes(campaign, { count: 1 });
    const clock = createFakeClock();
    const channel = scriptedChannel();
    const worker = testWorker(db, channel, { channelName: 'SMS', clock, renderAgainMs: 5_000 });
    const campaignsSent = () => new Set(channel.calls.map(({ campaignId }) => campaignId));

    const sending = sendChunk(worker, chunkOf(campaign), unending);
    await eventually(async () => expect((await notesOf(campaign)).count).toBe(2));
    await sendChunk(worker, chunkOf(other), unending);

    expect(campaignsSent()).toEqual(new Set([other.campaignId]));
    clock.advance(5_000);
    await sending;
    expect(campaignsSent()).toContain(campaign.campaignId);
  });

  test('after three notes is rendered row by row, and no other recipient fails than before', async () => {
    const campaign = await createSms(lane);
    await leaveNotes(campaign, { count: 3 });
    const { watched, seen } = watchNotes(campaign);

    expect(await sendWith(watched, campaign)).toEqual(['ada', 'bob', 'eve']);

    const outcomes = await outcomesOf(campaign);
    const rowOf = ({ deliveryId }: { readonly deliveryId: string }) => deliveryId;
    expect(seen.map(({ count }) => count)).toEqual([4, 4, 4, 4]);
    expect(seen.flatMap(({ rows }) => rows).toSorted()).toEqual(
      Object.values(outcomes).map(rowOf).toSorted(),
    );
    expect(outcomes).toMatchObject({ mute: { providerCode: 'missing_variable', attempts: 0 } });
    expect(await notesOf(campaign)).toEqual({ count: 0, rows: [] });
  });

  test('the row that ended a process after that fails, and the others are sent', async () => {
    const campaign = await createSms(lane);
    await leaveNotes(campaign, { count: 4, users: ['eve'] });

    expect(await sendWith(db, campaign)).toEqual(['ada', 'bob']);

    expect(await outcomesOf(campaign)).toMatchObject({ eve: ENDED, ada: { status: 'sent' } });
    expect(await notesOf(campaign)).toEqual({ count: 0, rows: [] });
  });

  test('another failure while a row is rendered alone does not count as its own', async () => {
    const campaign = await createSms(lane);
    await leaveNotes(campaign, { count: 3 });

    await expect(
      sendWith(
        failingDatabase(db, PROFILES, () => true),
        campaign,
      ),
    ).rejects.toThrow('the database is away');

    expect(await notesOf(campaign)).toEqual({ count: 3, rows: [] });
  });

  test('a row that another worker has is left to it', async () => {
    const campaign = await createSms(lane);
    await leaveNotes(campaign, { count: 4, users: ['eve'] });
    await claimByAnother(campaign, 'eve');

    expect(await sendWith(db, campaign)).toEqual(['ada', 'bob']);

    expect(await outcomesOf(campaign)).toMatchObject({ eve: { status: 'claimed' } });
  });
});

test('a row that another worker claims after it was read is left to it', async () => {
  const campaign = await createSms('bulk');
  await leaveNotes(campaign, { count: 4, users: ['eve'] });
  let claims = 0;
  const query = async (...args: unknown[]): Promise<unknown> => {
    // The rows have been read by now.
    if (String(args[0]).includes('set renderings = least(') && claims === 0) {
      claims += 1;
      await claimByAnother(campaign, 'eve');
    }
    return (db.sql.query as (...all: unknown[]) => Promise<unknown>).apply(db.sql, args);
  };
  const overtaken: Database = { ...db, sql: { query: query as Database['sql']['query'] } };

  expect(await sendWith(overtaken, campaign)).toEqual(['ada', 'bob']);

  expect(claims).toBe(1);
  expect(await outcomesOf(campaign)).toMatchObject({ eve: { status: 'claimed' } });
});

test('a row that ended its process does not go to the inbox', async () => {
  const applicationId = await createApplication('IN_APP', {
    ada: { firstName: 'Ada' },
    eve: { firstName: 'Eve' },
  });
  const campaign = await createCampaign({
    applicationId,
    channel: 'IN_APP',
    recipients: ['ada', 'eve'],
    templates: own({ body: '{{ user.firstName }}' }),
  });
  await leaveNotes(campaign, { count: 3, users: ['eve'] });
  const { clock, logger } = testWorker(db, scriptedChannel());
  const deps = {
    ...inboxDependencies({
      db,
      channel: 'IN_APP',
      owner: 'own',
      claimLeaseMs: 30_000,
      onDelivered: () => undefined,
    }),
    clock,
    logger,
    renderAgainMs: 0,
  };

  await deliverChunkToInbox(deps, chunkOf(campaign), unending);

  expect(await outcomesOf(campaign)).toMatchObject({ ada: { status: 'waiting' }, eve: ENDED });
  expect(await notesOf(campaign)).toEqual({ count: 0, rows: [] });
});
