import { afterAll, describe, expect, test } from '@jest/globals';
import { acceptCampaign } from '@tidings/delivery/accept';
import {
  configureEmail,
  connectTestDatabase,
  createSendingApplication,
  createSendingCampaign,
  expandAll,
  newCampaign,
  registerUsers,
} from '@tidings/testing';
import type { Channel, SendResult } from './channel.ts';
import { sendChunk } from './send-chunk.ts';
import { scriptedChannel } from './testing/scripted-channel.ts';
import { testWorker } from './testing/test-worker.ts';
import { chunkHelpers, unending, chunkOf } from './testing/first-chunk.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { deliveries, statesOf } = chunkHelpers(db);

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
