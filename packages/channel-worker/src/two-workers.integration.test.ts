import { afterAll, expect, test } from '@jest/globals';
import type { Lane } from '@tidings/contracts/channels/channels';
import type { NewCampaign } from '@tidings/delivery/accept';
import { readCampaign } from '@tidings/campaign-reports/reports';
import {
  connectTestDatabase,
  createPushCampaign,
  createSendingApplication,
  createSendingCampaign,
  randomFrom,
  recount,
  seedsOfRun,
  someDevices,
} from '@tidings/testing';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutgoingDelivery, SendResult } from './channel.ts';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase({ poolMax: 20 });
afterAll(() => db.close());

const DELIVERIES = 30;
const WORKERS = 3;

/** What is claimed: deliveries, and addresses of those that go to several. */
const DELIVERIES_TABLE = {
  table: 'deliveries',
  key: 'id',
  isClaimed: 'addressed_at is null',
} as const;
const ADDRESSES_TABLE = {
  table: 'delivery_addresses',
  key: '(delivery_id, address_no)',
  isClaimed: 'true',
} as const;
const TABLES = {
  EMAIL: [DELIVERIES_TABLE],
  WEB_PUSH: [DELIVERIES_TABLE, ADDRESSES_TABLE],
} as const;
type Claimed = (typeof TABLES)[keyof typeof TABLES];

/** Ends leases at random, as a pause of the worker longer than its lease would. */
const endLeases = ({ campaignId }: NewCampaign, tables: Claimed) =>
  Promise.all(
    tables.map(({ table, key }) =>
      db.sql.query(
        `update ${table} set lease_until = now() - interval '1 ms'
         where ${key} in (select ${key.replaceAll(/[()]/g, '')} from ${table} where campaign_id = $1 and state in ('claimed', 'sending') order by random() limit 10 for update skip locked)`,
        [campaignId],
      ),
    ),
  );

/** Pending rows, wherever a round put them, are due now. */
const makeDue = ({ campaignId }: NewCampaign, tables: Claimed) =>
  Promise.all(
    tables.map(({ table }) =>
      db.sql.query(
        `update ${table} set next_at = now() where campaign_id = $1 and state in ('pending', 'retry_wait')`,
        [campaignId],
      ),
    ),
  );

async function countUnsettled({ campaignId }: NewCampaign, tables: Claimed): Promise<number> {
  const found = await Promise.all(
    tables.map(({ table, isClaimed }) =>
      db.sql.query(
        `select 1 from ${table} where campaign_id = $1 and ${isClaimed} and state in ('pending', 'claimed', 'sending', 'retry_wait')`,
        [campaignId],
      ),
    ),
  );
  return found.reduce((sum, { rowCount }) => sum + (rowCount ?? 0), 0);
}

/** The application does not retry: an unknown outcome stays unknown. */
const forbidRepeats = ({ applicationId }: NewCampaign) =>
  db.sql.query(
    `update applications set settings = '{"resendOnUnknown": {"WEB_PUSH": false}}' where id = $1`,
    [applicationId],
  );

async function newCampaignOf(channelName: keyof typeof TABLES, lane: Lane): Promise<NewCampaign> {
  if (channelName === 'EMAIL') {
    const mails = await createSendingCampaign(db, {
      count: DELIVERIES,
      applicationId: (await createSendingApplication(db)).applicationId,
    });
    await db.sql.query('update campaigns set lane = $2 where id = $1', [mails.campaignId, lane]);
    return mails;
  }
  const campaign = await createPushCampaign(db, {
    devices: someDevices(...Array.from({ length: DELIVERIES / 2 }, (_, index) => 1 + (index % 3))),
  });
  await forbidRepeats(campaign);
  return campaign;
}

const SEEDS = 25;
const RUNS = [
  ...Array.from({ length: SEEDS }, (_, seed) => ['EMAIL', 'express', seed + 1] as const),
  // In bulk, rows are read and marked without a claim.
  ...Array.from({ length: SEEDS }, (_, seed) => ['EMAIL', 'bulk', seed + 1] as const),
  ...Array.from({ length: SEEDS }, (_, seed) => ['WEB_PUSH', 'express', seed + 1] as const),
];

test.each(seedsOfRun(RUNS))(
  'workers on one chunk never send a delivery twice to one address: slow, stopped, their claims taken over (%s, %s, seed %i)',
  async (channelName, lane, seed) => {
    const random = randomFrom(seed);
    const rows = TABLES[channelName];
    const campaign = await newCampaignOf(channelName, lane);
    const answer = async (_delivery: OutgoingDelivery): Promise<SendResult> => {
      await delay(random() * 4);
      return random() < 0.1 ? { status: 'unknown' } : { status: 'sent' };
    };
    const channel = scriptedChannel(answer);

    let rounds = 0;
    for (; rounds < 50; rounds += 1) {
      await Promise.all([
        ...Array.from({ length: WORKERS }, async () => {
          const stopping = new AbortController();
          const stop =
            random() < 0.3
              ? setTimeout(() => stopping.abort(new Error('stopped')), random() * 10)
              : undefined;
          await sendChunk(
            testWorker(db, channel, { channelName, concurrency: 4 }),
            { campaignId: campaign.campaignId, chunkNo: 0 },
            stopping.signal,
          ).catch((error: Error) => {
            if (error.message !== 'stopped') throw error;
          });
          clearTimeout(stop);
        }),
        delay(random() * 10).then(() => endLeases(campaign, rows)),
      ]);
      await makeDue(campaign, rows);
      if ((await countUnsettled(campaign, rows)) === 0) break;
      await endLeases(campaign, rows);
    }

    expect(rounds).toBeLessThan(50);
    expect(channel.calls).toHaveLength(DELIVERIES);
    expect(
      new Set(channel.calls.map(({ deliveryId, deviceId }) => `${deliveryId} ${deviceId}`)).size,
    ).toBe(DELIVERIES);
    const { counts } = (await readCampaign(db, campaign.applicationId, campaign.campaignId)) ?? {};
    const { groups } = await recount(db, campaign.campaignId);
    expect({ sent: counts?.sent, unknown: counts?.unknown }).toEqual({
      sent: 0,
      unknown: 0,
      ...groups,
    });
  },
  30_000,
);
