import { afterAll, describe, expect, test } from '@jest/globals';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { takeChunks } from '@tidings/delivery/chunks';
import { claimChunk } from '@tidings/delivery/claims';
import { listDeliveries } from '@tidings/delivery/list-deliveries';
import {
  configureEmail,
  connectTestDatabase,
  createFakeClock,
  createSendingApplication,
  createSendingCampaign,
  eventually,
  expandAll,
  newCampaign,
  registerUsers,
} from '@tidings/testing';
import type { Channel, SendResult } from './channel.ts';
import { sendChunk } from './send-chunk.ts';
import { countByState } from './testing/count-by-state.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const unending = new AbortController().signal;
const chunkOf = ({ campaignId }: NewCampaign) => ({ campaignId, chunkNo: 0 });
const deliveries = ({ campaignId }: NewCampaign) => listDeliveries(db, campaignId, { limit: 500 });
const statesOf = (campaign: NewCampaign) => countByState(db, campaign);

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

describe('each result of a send has its state', () => {
  test.each<[SendResult, object]>([
    [
      { status: 'sent', providerId: 'p-1' },
      { status: 'sent', reason: null, attempts: 1 },
    ],
    [
      { status: 'permanent', reason: 'provider_rejected' },
      { status: 'failed', reason: 'provider_rejected', attempts: 1 },
    ],
    [
      { status: 'invalid_address', reason: 'invalid_address' },
      { status: 'failed', reason: 'invalid_address', attempts: 1 },
    ],
    [
      { status: 'transient', reason: 'provider_timeout', retryAfterMs: 60_000 },
      { status: 'retry_wait', reason: 'provider_timeout', attempts: 1 },
    ],
    [{ status: 'rate_limited' }, { status: 'retry_wait', reason: 'rate_limited', attempts: 0 }],
    [
      { status: 'configuration', reason: 'provider_auth' },
      { status: 'retry_wait', reason: 'provider_auth', attempts: 0 },
    ],
    [{ status: 'unknown' }, { status: 'unknown', reason: 'outcome_unknown', attempts: 1 }],
  ])('%j', async (result, delivery) => {
    const campaign = await createSendingCampaign(db);

    await sendChunk(
      testWorker(
        db,
        scriptedChannel(() => result),
      ),
      chunkOf(campaign),
      unending,
    );

    expect(await deliveries(campaign)).toMatchObject([delivery]);
  });

  test('a retry that is due at once makes the chunk due at once', async () => {
    const campaign = await createSendingCampaign(db);
    const channel = scriptedChannel((_delivery, nth) =>
      nth < 2 ? { status: 'rate_limited', retryAfterMs: 0 } : { status: 'sent' },
    );
    const worker = testWorker(db, channel);
    await sendChunk(worker, chunkOf(campaign), unending);
    const { rows } = await db.sql.query(
      'select due_at <= now() as is_due from campaign_chunks where campaign_id = $1',
      [campaign.campaignId],
    );
    expect(rows).toEqual([{ is_due: true }]);

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(channel.calls).toHaveLength(2);
    expect(await deliveries(campaign)).toMatchObject([{ status: 'sent', attempts: 1 }]);
  });

  test('a retry that is due later makes the chunk due then', async () => {
    const campaign = await createSendingCampaign(db);
    await db.sql.query('update campaign_chunks set due_at = null where campaign_id = $1', [
      campaign.campaignId,
    ]);

    await sendChunk(
      testWorker(
        db,
        scriptedChannel(() => ({ status: 'rate_limited', retryAfterMs: 90_000 })),
      ),
      chunkOf(campaign),
      unending,
    );

    const { rows } = await db.sql.query<{ seconds: number }>(
      'select extract(epoch from due_at - now())::float8 as seconds from campaign_chunks where campaign_id = $1',
      [campaign.campaignId],
    );
    // As long as the provider said, or up to a tenth more.
    expect(rows[0]?.seconds).toBeGreaterThan(60);
    expect(rows[0]?.seconds).toBeLessThanOrEqual(99);
  });

  test('recipients without an address fail without an attempt, the others are sent', async () => {
    const { applicationId } = await createSendingApplication(db);
    await registerUsers(db, applicationId, { nowhere: {} });
    await registerUsers(db, applicationId, ['ada']);
    const campaign = newCampaign({ applicationId, recipients: ['nowhere', 'ada'] });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
    const channel = scriptedChannel();

    await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

    expect(channel.calls).toHaveLength(1);
    expect(await deliveries(campaign)).toMatchObject([
      { customUserId: 'nowhere', status: 'failed', reason: 'no_address', attempts: 0 },
      { customUserId: 'ada', status: 'sent', attempts: 1 },
    ]);
  });

  test('a test send goes to its address', async () => {
    const { applicationId } = await createSendingApplication(db);
    const campaign = newCampaign({ applicationId, source: 'test', recipients: ['me@example.org'] });
    await acceptCampaign(db, campaign);
    await expandAll(db, campaign.campaignId);
    const channel = scriptedChannel(() => ({
      status: 'transient',
      reason: 'provider_unavailable',
    }));

    await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

    expect(channel.calls).toMatchObject([{ address: 'me@example.org' }]);
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'failed', reason: 'provider_unavailable' },
    ]);
  });

  test('settings that change between two chunks are read anew', async () => {
    const { applicationId } = await createSendingApplication(db);
    const channel = scriptedChannel();
    const worker = testWorker(db, channel);
    await sendChunk(worker, chunkOf(await createSendingCampaign(db, { applicationId })), unending);

    await configureEmail(db, applicationId, { host: 'other.example' });
    await db.sql.query(`update channel_settings set status = 'ready' where application_id = $1`, [
      applicationId,
    ]);
    await sendChunk(worker, chunkOf(await createSendingCampaign(db, { applicationId })), unending);

    expect(
      channel.calls.map(({ settings, settingsKey }) => [settings['host'], settingsKey]),
    ).toEqual([
      ['smtp.example', `${applicationId}:1`],
      ['other.example', `${applicationId}:2`],
    ]);
  });
});

describe('a channel that misbehaves', () => {
  test.each([
    ['rejects', () => Promise.reject(new Error('bug'))],
    [
      'throws',
      () => {
        throw new Error('bug');
      },
    ],
  ])(
    'that %s leaves its delivery unknown, the others are sent, and no slot is lost',
    async (_name, misbehave) => {
      const campaign = await createSendingCampaign(db, { count: 12 });
      const [victim] = await deliveries(campaign);
      const worker = testWorker(
        db,
        {
          send: (delivery) =>
            delivery.deliveryId === victim?.deliveryId
              ? misbehave()
              : Promise.resolve({ status: 'sent' }),
        },
        { concurrency: 2 },
      );

      await sendChunk(worker, chunkOf(campaign), unending);

      expect(await statesOf(campaign)).toEqual({ sent: 11, unknown: 1 });
      expect(worker.lines).toMatchObject([
        { level: 'error', msg: 'channel failed unexpectedly', deliveryId: victim?.deliveryId },
      ]);
      expect(
        await worker.slots.take(5, {
          lane: 'express',
          applicationId: 'another',
          timeoutMs: 0,
          signal: unending,
        }),
      ).toBe(2);
    },
  );

  test('that hangs is given up when the lease of the send ends: unknown, and its slot is free again', async () => {
    const campaign = await createSendingCampaign(db, { count: 6 });
    const [victim] = await deliveries(campaign);
    const channel = scriptedChannel((delivery) =>
      delivery.deliveryId === victim?.deliveryId
        ? new Promise(() => undefined)
        : { status: 'sent' },
    );
    const worker = testWorker(db, channel, { concurrency: 1, sendLeaseMs: 100 });

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(await statesOf(campaign)).toEqual({ sent: 5, unknown: 1 });
    expect(channel.calls).toHaveLength(6);
  });
});

test.each<[string, (signal: AbortSignal) => Promise<SendResult>, string]>([
  [
    'what the channel says of how far it came',
    (signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () =>
          resolve({ status: 'transient', reason: 'provider_timeout' }),
        ),
      ),
    'retry_wait',
  ],
  ['unknown where it says nothing', () => new Promise(() => undefined), 'unknown'],
])('a send that is given up since the process has to end is %s', async (_name, send, state) => {
  const campaign = await createSendingCampaign(db, { count: 1 });
  const [giveUp, stopping] = [new AbortController(), new AbortController()];
  const channel: Channel = {
    send({ signal }) {
      const sending = send(signal);
      stopping.abort(new Error('stopping'));
      giveUp.abort(new Error('the process is shutting down'));
      return sending;
    },
  };

  await sendChunk(
    testWorker(db, channel, { giveUp: giveUp.signal }),
    chunkOf(campaign),
    stopping.signal,
  ).catch(() => undefined);

  expect(await statesOf(campaign)).toEqual({ [state]: 1 });
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
    const { rows } = await db.sql.query(
      'select round(extract(epoch from due_at - now()))::int as seconds from campaign_chunks where campaign_id = $1',
      [campaign.campaignId],
    );
    expect(rows).toEqual([{ seconds: 1 }]);
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
          'select round(extract(epoch from due_at - now()))::int as seconds from campaign_chunks where campaign_id = $1',
          [campaignId],
        )
      ).rows;
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
    expect(await dueIn()).toEqual([{ seconds: 30 }]);
    answer();
    await expect(sending).rejects.toThrow('rebalance');

    expect(await statesOf(campaign)).toEqual({ retry_wait: 1 });
    expect(await dueIn()).toEqual([{ seconds: 30 }]);
    await makeDue();
    expect(await takeChunks(db, [chunkOf(campaign)], 1_000)).toEqual([]);
    const [later] = await dueIn();
    expect(later?.seconds).toBeGreaterThan(30);
    expect(later?.seconds).toBeLessThanOrEqual(55);
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

test('a row that another worker holds is left to it', async () => {
  const campaign = await createSendingCampaign(db, { count: 5 });
  await claimChunk(db, { ...chunkOf(campaign), owner: 'other', leaseMs: 60_000, rowsMax: 2 });
  const channel = scriptedChannel();

  await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

  expect(await statesOf(campaign)).toEqual({ claimed: 2, sent: 3 });
});

test('an address that the provider keeps rejecting is not sent to again', async () => {
  const { applicationId } = await createSendingApplication(db);
  const first = await createSendingCampaign(db, { applicationId });
  const channel = scriptedChannel(() => ({
    status: 'invalid_address',
    reason: 'invalid_address',
    suppression: 'suppressed_bounce',
  }));

  await sendChunk(testWorker(db, channel), chunkOf(first), unending);
  const second = await createSendingCampaign(db, { applicationId });
  await sendChunk(testWorker(db, channel), chunkOf(second), unending);

  expect(channel.calls).toHaveLength(1);
  expect(await deliveries(first)).toMatchObject([
    { status: 'failed', reason: 'invalid_address', attempts: 1 },
  ]);
  expect(await deliveries(second)).toMatchObject([
    { status: 'failed', reason: 'suppressed_bounce', attempts: 0 },
  ]);
});
