import { afterAll, expect, test } from '@jest/globals';
import type { Channel } from '@tidings/contracts/channels/channels';
import type { Condition } from '@tidings/contracts/segments/conditions';
import type { NewCampaign } from '@tidings/delivery/accept';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { systemClock, systemIds } from '@tidings/platform';
import {
  configureChannel,
  connectTestDatabase,
  createPushCampaign,
  createRecordingLogger,
  createSendingApplication,
  createSendingCampaign,
  someDevices,
} from '@tidings/testing';
import { deliverChunkToInbox } from './deliver-to-inbox.ts';
import { inboxDependencies } from './inbox-worker.ts';
import { sendChunk } from './send-chunk.ts';
import { chunkOf, unending } from './testing/first-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { slowDatabase, testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const german: Condition = { field: 'country', is: 'DE' };
const blocked: Condition = { attribute: 'blocked', is: true };

/** Makes a campaign one to a condition, whose recipients are read already. */
async function setAudience(
  { campaignId }: Pick<NewCampaign, 'campaignId'>,
  { recheck = true, exclude = null }: { recheck?: boolean; exclude?: Condition | null } = {},
) {
  const audience = {
    segment: 'german',
    version: 1,
    condition: german,
    exclude: exclude && { segment: 'blocked', version: 1, condition: exclude },
    recheck,
  };
  await db.sql.query('update campaigns set audience = $2, snapshot_at = now() where id = $1', [
    campaignId,
    JSON.stringify(audience),
  ]);
}

/** To ada and carl of Germany, and bob of France; carl is blocked. */
async function campaignOf(overrides: { channel?: Channel } = {}) {
  const { applicationId } = await createSendingApplication(db);
  if (overrides.channel !== undefined) await configureChannel(db, applicationId, overrides.channel);
  const campaign = await createSendingCampaign(db, {
    applicationId,
    recipients: ['ada', 'bob', 'carl'],
    ...overrides,
  });
  await db.sql.query(
    `update users set fields = fields || jsonb_build_object('country', case custom_user_id when 'bob' then 'FR' else 'DE' end),
       custom_attributes = case custom_user_id when 'carl' then '{"blocked":true}'::jsonb else '{}' end
     where application_id = $1`,
    [applicationId],
  );
  return campaign;
}

const recordOf = ({ applicationId, campaignId }: NewCampaign) =>
  readCampaign(db, applicationId, campaignId);

test('users who left the segment get no message, and a reason', async () => {
  const campaign = await campaignOf();
  await setAudience(campaign, { exclude: blocked });
  const channel = scriptedChannel();

  await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

  expect(channel.calls.map(({ customUserId }) => customUserId)).toEqual(['ada']);
  expect(await recordOf(campaign)).toMatchObject({
    counts: { sent: 1, failed: 2, pending: 0 },
    failures: { left_segment: 2 },
    result: { attempted: 1, notReachable: 2, successRate: 1 },
  });
});

test('without recheck they get it', async () => {
  const campaign = await campaignOf();
  await setAudience(campaign, { recheck: false });
  const channel = scriptedChannel();

  await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

  expect(channel.calls).toHaveLength(3);
});

test('rows of a large campaign, which are only read, are settled too', async () => {
  const campaign = await campaignOf();
  await setAudience(campaign);
  await db.sql.query("update campaigns set lane = 'bulk' where id = $1", [campaign.campaignId]);
  const channel = scriptedChannel();

  await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

  expect(channel.calls).toHaveLength(2);
  expect(await recordOf(campaign)).toMatchObject({ failures: { left_segment: 1 } });
});

test.each(['express', 'bulk'])(
  'while the question takes too long the rows of the %s lane wait, and other records do not',
  async (lane) => {
    const campaign = await campaignOf();
    await setAudience(campaign);
    await db.sql.query('update campaigns set lane = $2 where id = $1', [campaign.campaignId, lane]);
    const channel = scriptedChannel();
    const worker = testWorker(slowDatabase(db), channel);

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(channel.calls).toEqual([]);
    expect(worker.lines).toMatchObject([{ level: 'warn', campaignId: campaign.campaignId }]);
    expect(await waitingRows(campaign)).toEqual({ n: 3, is_later: true });
  },
);

/** How many rows may be sent again, and whether all of them wait for half a minute or longer. */
async function waitingRows({ campaignId }: NewCampaign) {
  const { rows } = await db.sql.query(
    `select count(*)::int as n, bool_and(next_at > now() + interval '30 s') as is_later
     from deliveries where campaign_id = $1 and state in ('pending', 'retry_wait') and attempts = 0`,
    [campaignId],
  );
  return rows[0];
}

test('each device of such a user is settled', async () => {
  const campaign = await createPushCampaign(db, { devices: someDevices(2) });
  await setAudience(campaign);
  const channel = scriptedChannel();

  await sendChunk(
    testWorker(db, channel, { channelName: 'WEB_PUSH' }),
    chunkOf(campaign),
    unending,
  );

  expect(channel.calls).toEqual([]);
  expect(await recordOf(campaign)).toMatchObject({ failures: { left_segment: 1 } });
});

test('the inbox asks again as well, and waits while that takes too long', async () => {
  const campaign = await campaignOf({ channel: 'IN_APP' });
  await setAudience(campaign);
  const deps = {
    ...inboxDependencies({
      db,
      channel: 'IN_APP',
      owner: systemIds.uuid(),
      claimLeaseMs: 30_000,
      onDelivered: () => undefined,
    }),
    clock: systemClock,
    logger: createRecordingLogger().logger,
  };

  await deliverChunkToInbox({ ...deps, db: slowDatabase(db) }, chunkOf(campaign), unending);
  expect(await waitingRows(campaign)).toEqual({ n: 3, is_later: true });

  await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
    campaign.campaignId,
  ]);
  await deliverChunkToInbox(deps, chunkOf(campaign), unending);

  expect(await recordOf(campaign)).toMatchObject({
    counts: { waiting: 2 },
    failures: { left_segment: 1 },
  });
});
