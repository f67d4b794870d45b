/** @needs redis */

import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { Coordination } from '@tidings/coordination';
import type { NewCampaign } from '@tidings/delivery/accept';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import {
  configureEmail,
  connectTestDatabase,
  createFakeClock,
  createSendingApplication,
  createSendingCampaign,
  eventually,
  openTestCoordination,
  recount,
} from '@tidings/testing';
import { sendChunk } from '../send-chunk.ts';
import { scriptedChannel } from '../testing/scripted-channel.ts';
import { testWorker } from '../testing/test-worker.ts';

const db = connectTestDatabase();
const opened: Coordination[] = [];
afterEach(async () => {
  for (const coordination of opened.splice(0)) await coordination.close();
});
afterAll(() => db.close());

const unending = new AbortController().signal;
const chunkOf = ({ campaignId }: NewCampaign) => ({ campaignId, chunkNo: 0 });
const groups = async ({ campaignId }: NewCampaign) => (await recount(db, campaignId)).groups;

async function coordinate(
  options?: Parameters<typeof openTestCoordination>[0],
): Promise<Coordination> {
  const coordination = await openTestCoordination(options);
  opened.push(coordination);
  return coordination;
}

async function createLimited(ratePerSecond: number, count: number) {
  const { applicationId } = await createSendingApplication(db);
  await configureEmail(db, applicationId, { ratePerSecond });
  await db.sql.query(`update channel_settings set status = 'ready' where application_id = $1`, [
    applicationId,
  ]);
  return createSendingCampaign(db, { applicationId, count });
}

describe('an application’s rate to its provider', () => {
  test('is one for all workers: what is above it is given back without a slot or an attempt, each with a time of its own', async () => {
    // A token in two minutes: however slow the machine, few come back while the test runs.
    const campaign = await createLimited(0.01, 30);
    const channel = scriptedChannel();
    const workers = await Promise.all(
      [1, 2, 3].map(async () =>
        testWorker(db, channel, { concurrency: 10, coordination: await coordinate() }),
      ),
    );

    await eventually(async () => {
      await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
        campaign.campaignId,
      ]);
      await Promise.all(workers.map((worker) => sendChunk(worker, chunkOf(campaign), unending)));
      // None while Redis is slower than a worker has patience.
      expect(channel.calls.length).toBeGreaterThan(0);
    });

    expect(channel.calls).toHaveLength(1);
    expect(await groups(campaign)).toEqual({ sent: 1, pending: 29 });
    const waiting = (await listDeliveries(db, campaign.campaignId, { limit: 500 })).filter(
      ({ status }) => status === 'pending',
    );
    expect(waiting.every(({ attempts }) => attempts === 0)).toBe(true);
    for (const { slots } of workers)
      expect(
        await slots.take(100, {
          lane: 'express',
          applicationId: 'another',
          timeoutMs: 0,
          signal: unending,
        }),
      ).toBe(5);
    const { rows } = await db.sql.query<{ times: number; is_scheduled: boolean }>(
      `select count(distinct d.next_at)::int as times, bool_and(k.due_at is not null) as is_scheduled
       from deliveries d join campaign_chunks k using (campaign_id, chunk_no) where d.campaign_id = $1 and d.state = 'pending' and d.next_at > now()`,
      [campaign.campaignId],
    );
    expect(rows[0]?.times).toBeGreaterThan(5);
    expect(rows[0]?.is_scheduled).toBe(true);
  });

  test('waits in place for tokens that come soon, until all is sent', async () => {
    const campaign = await createLimited(100, 120);
    const channel = scriptedChannel();
    const worker = testWorker(db, channel, {
      concurrency: 10,
      coordination: await coordinate(),
    });

    await eventually(async () => {
      await sendChunk(worker, chunkOf(campaign), unending);
      expect(await groups(campaign)).toEqual({ sent: 120 });
    });

    expect(channel.calls).toHaveLength(120);
  });

  test('is the share of each worker while Redis is away', async () => {
    const campaign = await createLimited(4, 30);
    const clock = createFakeClock();
    const channel = scriptedChannel();
    // A closed port.
    const coordination = await coordinate({ clock, redisUrl: 'redis://127.0.0.1:1' });

    await sendChunk(
      testWorker(db, channel, { clock, coordination, replicas: 2, concurrency: 10 }),
      chunkOf(campaign),
      unending,
    );

    expect(channel.calls).toHaveLength(2);
    expect(await groups(campaign)).toEqual({ sent: 2, pending: 28 });
  });

  test('holds up no other application, nor a test send', async () => {
    const limited = await createLimited(0.01, 30);
    const channel = scriptedChannel();
    const worker = testWorker(db, channel, {
      concurrency: 10,
      coordination: await coordinate(),
    });
    await sendChunk(worker, chunkOf(limited), unending);
    const other = await createSendingCampaign(db, { count: 30 });
    const trial = await createSendingCampaign(db, {
      applicationId: limited.applicationId,
      source: 'test',
      recipients: ['me@example.org'],
    });

    await sendChunk(worker, chunkOf(other), unending);
    await sendChunk(worker, chunkOf(trial), unending);

    expect(await groups(other)).toEqual({ sent: 30 });
    expect(await groups(trial)).toEqual({ sent: 1 });
  });
});

test('an application whose provider hangs does not have all slots: another is sent to meanwhile', async () => {
  const slow = await createSendingCampaign(db, { count: 12 });
  const fast = await createSendingCampaign(db, { count: 4 });
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const channel = scriptedChannel(async ({ applicationId }) => {
    if (applicationId === slow.applicationId) await answered;
    return { status: 'sent' };
  });
  const worker = testWorker(db, channel, { concurrency: 10 });

  const hanging = sendChunk(worker, chunkOf(slow), unending);
  await eventually(() => expect(channel.calls).toHaveLength(5));
  await sendChunk(worker, chunkOf(fast), unending);

  expect(await groups(fast)).toEqual({ sent: 4 });
  answer();
  await hanging;
  expect(await groups(slow)).toEqual({ sent: 12 });
});
