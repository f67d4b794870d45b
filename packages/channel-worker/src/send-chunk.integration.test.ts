import { afterAll, describe, expect, test } from '@jest/globals';
import { takeChunks } from '@tidings/delivery/chunks';
import { claimChunk } from '@tidings/delivery/claims';
import {
  connectTestDatabase,
  createFakeClock,
  createSendingCampaign,
  eventually,
  expectSecondsLeft,
} from '@tidings/testing';
import type { Channel } from './channel.ts';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';
import { chunkHelpers, unending, chunkOf } from './testing/first-chunk.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { deliveries, statesOf } = chunkHelpers(db);

describe('a chunk', () => {
  test('is sent whole, each delivery once, and its outcomes are recorded when it is done', async () => {
    const campaign = await createSendingCampaign(db, { count: 50 });
    const channel = scriptedChannel(() => ({
      status: 'sent',
      providerCode: '250',
      providerMessage: 'Ok',
    }));

    await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

    expect(await statesOf(campaign)).toEqual({ sent: 50 });
    expect(new Set(channel.calls.map(({ deliveryId }) => deliveryId)).size).toBe(50);
    expect(channel.calls).toHaveLength(50);
    expect(channel.calls[0]).toMatchObject({
      campaignId: campaign.campaignId,
      applicationId: campaign.applicationId,
      address: 'ada@example.org',
      message: campaign.message,
      settings: { host: 'smtp.example' },
      secrets: { password: 'secret' },
      settingsKey: `${campaign.applicationId}:1`,
    });
  });

  test('dispatched again finds nothing to do', async () => {
    const campaign = await createSendingCampaign(db, { count: 5 });
    const channel = scriptedChannel();

    await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);
    await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

    expect(channel.calls).toHaveLength(5);
  });

  test.each([{ campaignId: '00000000-0000-7000-8000-000000000000', chunkNo: 0 }])(
    'of an unknown campaign is skipped',
    async (nothing) => {
      await sendChunk(testWorker(db, scriptedChannel()), nothing, unending);
    },
  );

  test('never has more sends in flight than slots', async () => {
    const campaign = await createSendingCampaign(db, { count: 40 });
    let inFlight = 0;
    let peak = 0;
    const channel = scriptedChannel(async () => {
      inFlight += 1;
      peak = Math.max(peak, inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight -= 1;
      return { status: 'sent' };
    });

    await sendChunk(testWorker(db, channel, { concurrency: 4 }), chunkOf(campaign), unending);

    expect(peak).toBeLessThanOrEqual(4);
    expect(await statesOf(campaign)).toEqual({ sent: 40 });
  });
});

describe('what is not sent is given back', () => {
  test('for want of a slot: soon due again, without an attempt', async () => {
    const campaign = await createSendingCampaign(db, { count: 4 });
    const worker = testWorker(db, scriptedChannel(), {
      concurrency: 1,
      claimRowsMax: 4,
      slotWaitMs: 20,
    });
    await worker.slots.take(1, {
      lane: 'express',
      applicationId: 'another',
      timeoutMs: 0,
      signal: unending,
    });

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(await statesOf(campaign)).toEqual({ pending: 4 });
    expect((await deliveries(campaign)).every(({ attempts }) => attempts === 0)).toBe(true);
    const { rows } = await db.sql.query<{ seconds: number }>(
      'select extract(epoch from due_at - now())::float8 as seconds from campaign_chunks where campaign_id = $1',
      [campaign.campaignId],
    );
    expectSecondsLeft(rows[0]?.seconds, 1);
  });

  test('on shutdown: what is on its way is seen through and recorded, the rest is free for the next worker at once', async () => {
    const campaign = await createSendingCampaign(db, { count: 10 });
    const stopping = new AbortController();
    const answers: (() => void)[] = [];
    const channel = scriptedChannel(
      () => new Promise((resolve) => answers.push(() => resolve({ status: 'sent' }))),
    );
    const sending = sendChunk(
      testWorker(db, channel, { concurrency: 3 }),
      chunkOf(campaign),
      stopping.signal,
    );
    await eventually(() => expect(answers).toHaveLength(3));

    stopping.abort(new Error('draining'));
    await eventually(async () =>
      expect(await statesOf(campaign)).toEqual({ pending: 7, sending: 3 }),
    );
    for (const answer of answers) answer();
    await expect(sending).rejects.toThrow('draining');

    expect(await statesOf(campaign)).toEqual({ pending: 7, sent: 3 });
    await sendChunk(testWorker(db, scriptedChannel()), chunkOf(campaign), unending);
    expect(await statesOf(campaign)).toEqual({ sent: 10 });
  });

  test('a send that outlives a rebalance and needs a retry is dispatched again, though another worker found nothing to do', async () => {
    const campaign = await createSendingCampaign(db);
    const { campaignId } = campaign;
    const dueIn = async () =>
      (
        await db.sql.query<{ seconds: number }>(
          'select extract(epoch from due_at - now())::float8 as seconds from campaign_chunks where campaign_id = $1',
          [campaignId],
        )
      ).rows[0]?.seconds;
    const makeDue = () =>
      db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
        campaignId,
      ]);
    const losing = new AbortController();
    let answer = (): void => undefined;
    const slow = scriptedChannel(
      () =>
        new Promise(
          (resolve) => (answer = () => resolve({ status: 'rate_limited', retryAfterMs: 50_000 })),
        ),
    );
    const sending = sendChunk(testWorker(db, slow), chunkOf(campaign), losing.signal);
    await eventually(() => expect(slow.calls).toHaveLength(1));

    losing.abort(new Error('rebalance'));
    await sendChunk(testWorker(db, scriptedChannel()), chunkOf(campaign), unending);
    await makeDue();
    expect(await takeChunks(db, [chunkOf(campaign)], 1_000)).toEqual([]);
    // Looked at again when the lease of the send ends, at the latest.
    expectSecondsLeft(await dueIn(), 30);
    answer();
    await expect(sending).rejects.toThrow('rebalance');

    expect(await statesOf(campaign)).toEqual({ retry_wait: 1 });
    expectSecondsLeft(await dueIn(), 30);
    await makeDue();
    expect(await takeChunks(db, [chunkOf(campaign)], 1_000)).toEqual([]);
    expectSecondsLeft(await dueIn(), 55);
  });

  test('when the campaign is canceled: after that moment no more are sent than were in flight', async () => {
    const campaign = await createSendingCampaign(db, { count: 60 });
    const channel = scriptedChannel(async (_delivery) => {
      if (channel.calls.length === 10)
        await db.sql.query(`update campaigns set status = 'canceled' where id = $1`, [
          campaign.campaignId,
        ]);
      return { status: 'sent' };
    });

    await sendChunk(testWorker(db, channel, { concurrency: 5 }), chunkOf(campaign), unending);

    expect(channel.calls.length).toBeLessThanOrEqual(20);
    expect(await statesOf(campaign)).toEqual({
      sent: channel.calls.length,
      pending: 60 - channel.calls.length,
    });
  });

  test('when the marking was too long ago: pending, with the attempt returned, and sent by the next claim', async () => {
    const campaign = await createSendingCampaign(db);
    const clock = createFakeClock();
    const stuckForMs = [2_001, 2_000];
    const begun: boolean[] = [];
    const channel: Channel = {
      async send({ mayBegin }) {
        clock.advance(stuckForMs.shift() ?? 0);
        begun.push(mayBegin());
        return begun.at(-1) === true ? { status: 'sent' } : { status: 'not_sent' };
      },
    };

    const worker = testWorker(db, channel, { clock });
    await sendChunk(worker, chunkOf(campaign), unending);
    expect(await deliveries(campaign)).toMatchObject([{ status: 'pending', attempts: 0 }]);

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(begun).toEqual([false, true]);
    expect(await deliveries(campaign)).toMatchObject([{ status: 'sent', attempts: 1 }]);
    const { rows } = await db.sql.query('select fence from deliveries where campaign_id = $1', [
      campaign.campaignId,
    ]);
    expect(rows).toEqual([{ fence: 2 }]);
  });
});

test('a row whose lease ended before its worker knew that it was marked is not sent', async () => {
  const campaign = await createSendingCampaign(db);
  const clock = createFakeClock();
  const begun: boolean[] = [];
  const channel: Channel = {
    async send({ mayBegin }) {
      begun.push(mayBegin());
      return begun.at(-1) === true ? { status: 'sent' } : { status: 'not_sent' };
    },
  };
  const frozenForMs = [5_001, 5_000];
  const worker = testWorker(db, channel, { clock, sendLeaseMs: 5_000 });
  const { express } = worker.statements;
  const markSending: typeof express.markSending = async (...rows) => {
    const marked = await express.markSending(...rows);
    clock.advance(frozenForMs.shift() ?? 0);
    return marked;
  };
  const frozen = {
    ...worker,
    statements: { ...worker.statements, express: { ...express, markSending } },
  };

  await sendChunk(frozen, chunkOf(campaign), unending);
  expect(await deliveries(campaign)).toMatchObject([{ status: 'pending', attempts: 0 }]);
  await sendChunk(frozen, chunkOf(campaign), unending);

  expect(begun).toEqual([false, true]);
  expect(await deliveries(campaign)).toMatchObject([{ status: 'sent', attempts: 1 }]);
});

test('a row that another worker holds is left to it', async () => {
  const campaign = await createSendingCampaign(db, { count: 5 });
  await claimChunk(db, { ...chunkOf(campaign), owner: 'other', leaseMs: 60_000, rowsMax: 2 });
  const channel = scriptedChannel();

  await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

  expect(await statesOf(campaign)).toEqual({ claimed: 2, sent: 3 });
});
