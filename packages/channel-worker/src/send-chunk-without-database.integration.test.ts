import { afterAll, describe, expect, test } from '@jest/globals';
import type { NewCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { updateApplication } from '@tidings/people/update-application';
import {
  configureChannel,
  connectTestDatabase,
  createSendingApplication,
  createSendingCampaign,
  eventually,
} from '@tidings/testing';
import { sendChunk } from './send-chunk.ts';
import { countByState } from './testing/count-by-state.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { failingDatabase, testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const unending = new AbortController().signal;
const chunkOf = ({ campaignId }: NewCampaign) => ({ campaignId, chunkNo: 0 });
const counts = async ({ applicationId, campaignId }: NewCampaign) =>
  (await readCampaign(db, applicationId, campaignId))?.counts;
const statesOf = (campaign: NewCampaign) => countByState(db, campaign);
const deliveries = ({ campaignId }: NewCampaign) => listDeliveries(db, campaignId, { limit: 500 });

describe('when the database goes away', () => {
  test('before marking: nothing is sent, no slot is lost, and everything is sent after its return', async () => {
    const campaign = await createSendingCampaign(db, { count: 10 });
    let isAway = true;
    const channel = scriptedChannel();
    const worker = testWorker(
      failingDatabase(db, `set state = 'sending'`, () => isAway),
      channel,
      { concurrency: 3 },
    );

    await expect(sendChunk(worker, chunkOf(campaign), unending)).rejects.toThrow(
      'the database is away',
    );
    expect(channel.calls).toEqual([]);
    expect(await counts(campaign)).toMatchObject({ pending: 10 });

    isAway = false;
    await db.sql.query(
      `update deliveries set lease_until = now() - interval '1 ms' where campaign_id = $1 and state = 'claimed'`,
      [campaign.campaignId],
    );
    await sendChunk(worker, chunkOf(campaign), unending);
    expect(await statesOf(campaign)).toEqual({ sent: 10 });
    expect(
      await worker.slots.take(9, {
        lane: 'express',
        applicationId: 'another',
        timeoutMs: 0,
        signal: unending,
      }),
    ).toBe(3);
  });

  test('after marking: every known outcome is recorded after its return, and nothing is sent twice', async () => {
    const campaign = await createSendingCampaign(db, { count: 8 });
    let isAway = true;
    const channel = scriptedChannel();
    const worker = testWorker(
      failingDatabase(db, 'insert into campaign_counters', () => isAway),
      channel,
      { concurrency: 4 },
    );

    const sending = sendChunk(worker, chunkOf(campaign), unending);
    await eventually(() => expect(worker.lines.length).toBeGreaterThan(1));
    // As long as the outcomes are only known here, nothing more is begun: a kill would leave it in doubt as well.
    expect(channel.calls).toHaveLength(4);
    isAway = false;
    await sending;

    expect(await statesOf(campaign)).toEqual({ sent: 8 });
    expect(channel.calls).toHaveLength(8);
  });

  test.each([
    ['a repeat does no harm as many again are sent meanwhile, and no more', true, 8],
    ['the application wants no repeat a slot is kept until the outcome is recorded', false, 4],
  ])('where %s', async (_name, isRepeatWanted, begun) => {
    const { applicationId } = await createSendingApplication(db);
    await updateApplication(db, applicationId, {
      settings: { resendOnUnknown: { WEB_HOOK: isRepeatWanted } },
    });
    await configureChannel(db, applicationId, 'WEB_HOOK');
    const campaign = await createSendingCampaign(db, {
      applicationId,
      channel: 'WEB_HOOK',
      count: 12,
    });
    let isAway = true;
    const channel = scriptedChannel();
    const worker = testWorker(
      failingDatabase(db, 'insert into campaign_counters', () => isAway),
      channel,
      { channelName: 'WEB_HOOK', concurrency: 4 },
    );

    const sending = sendChunk(worker, chunkOf(campaign), unending);
    await eventually(() => expect(channel.calls).toHaveLength(begun));
    await eventually(() => expect(worker.lines.length).toBeGreaterThan(1));
    expect(channel.calls).toHaveLength(begun);
    isAway = false;
    await sending;

    expect(await statesOf(campaign)).toEqual({ sent: 12 });
    expect(channel.calls).toHaveLength(12);
    expect(
      await worker.slots.take(9, {
        lane: 'express',
        applicationId: 'another',
        timeoutMs: 0,
        signal: unending,
      }),
    ).toBe(4);
  });

  test('while rows are given back: the sends that were begun are still waited for and recorded', async () => {
    const campaign = await createSendingCampaign(db, { count: 4 });
    const channel = scriptedChannel();
    const failing = failingDatabase(db, `set state = 'pending'`, () => true);
    const [lost] = await deliveries(campaign);
    // One row is lost to another worker between claim and mark, so that there is something to give back.
    const query = failing.sql.query.bind(failing.sql) as (...args: unknown[]) => unknown;
    const taken = async (...args: unknown[]): Promise<unknown> => {
      if (String(args[0]).includes(`set state = 'sending'`))
        await db.sql.query('update deliveries set fence = fence + 1 where id = $1', [
          lost?.deliveryId,
        ]);
      return query(...args);
    };
    const worker = testWorker(
      { ...failing, sql: { query: taken as typeof db.sql.query } },
      channel,
      { concurrency: 4 },
    );

    await expect(sendChunk(worker, chunkOf(campaign), unending)).rejects.toThrow(
      'the database is away',
    );

    expect(await statesOf(campaign)).toEqual({ sent: 3, claimed: 1 });
  });
});
