import { afterAll, expect, test } from '@jest/globals';
import { readCampaign, type NewCampaign } from '@tidings/db';
import { connectTestDatabase, createSendingApplication, createSendingCampaign, randomFrom, recount } from '@tidings/testing';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutgoingDelivery, SendResult } from './channel.ts';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase({ poolMax: 20 });
afterAll(() => db.close());

const DELIVERIES = 30;
const WORKERS = 3;

/** Ends leases at random, as a pause of the worker longer than its lease would. */
const endLeases = ({ campaignId }: NewCampaign) =>
  db.sql.query(
    `update deliveries set lease_until = now() - interval '1 ms'
     where id in (select id from deliveries where campaign_id = $1 and state in ('claimed', 'sending') order by random() limit 10 for update skip locked)`,
    [campaignId],
  );

/** Pending rows, wherever a round put them, are due now. */
const makeDue = ({ campaignId }: NewCampaign) =>
  db.sql.query(`update deliveries set next_at = now() where campaign_id = $1 and state in ('pending', 'retry_wait')`, [campaignId]);

test.each(Array.from({ length: 25 }, (_, seed) => seed + 1))(
  'O4 workers on one chunk never send a delivery twice: slow, stopped, their claims taken over (seed %i)',
  async (seed) => {
    const random = randomFrom(seed);
    const campaign = await createSendingCampaign(db, { count: DELIVERIES, applicationId: (await createSendingApplication(db)).applicationId });
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
          const stop = random() < 0.3 ? setTimeout(() => stopping.abort(new Error('stopped')), random() * 10) : undefined;
          await sendChunk(testWorker(db, channel, { concurrency: 4 }), { campaignId: campaign.campaignId, chunkNo: 0 }, stopping.signal).catch((error: Error) => {
            if (error.message !== 'stopped') throw error;
          });
          clearTimeout(stop);
        }),
        delay(random() * 10).then(() => endLeases(campaign)),
      ]);
      await makeDue(campaign);
      if ((await readCampaign(db, campaign.applicationId, campaign.campaignId))?.counts.pending === 0) break;
      await endLeases(campaign);
    }

    expect(rounds).toBeLessThan(50);
    expect(channel.calls).toHaveLength(DELIVERIES);
    expect(new Set(channel.calls.map(({ deliveryId }) => deliveryId)).size).toBe(DELIVERIES);
    const { counts } = (await readCampaign(db, campaign.applicationId, campaign.campaignId)) ?? {};
    const { groups } = await recount(db, campaign.campaignId);
    expect({ sent: counts?.sent, unknown: counts?.unknown }).toEqual({ sent: 0, unknown: 0, ...groups });
  },
  30_000,
);
