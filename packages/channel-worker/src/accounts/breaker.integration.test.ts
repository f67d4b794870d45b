import { afterAll, describe, expect, test } from '@jest/globals';
import { markChannelReady } from '@tidings/accounts/channel-settings';
import type { NewCampaign } from '@tidings/delivery/accept';
import { takeChunks } from '@tidings/delivery/chunks';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readOpenBreakers } from '@tidings/channel-breakers/open-breakers';
import { expireCampaigns } from '@tidings/delivery/sweeps';
import { metricsRegistry } from '@tidings/platform';
import {
  configureEmail,
  connectTestDatabase,
  createFakeClock,
  createSendingApplication,
  createSendingCampaign,
  eventually,
  recount,
} from '@tidings/testing';
import type { SendResult } from '../channel.ts';
import { sendChunk } from '../send-chunk.ts';
import { scriptedChannel } from '../testing/scripted-channel.ts';
import { testWorker } from '../testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const unending = new AbortController().signal;
const CONCURRENCY = 10;
const COUNT = 30;
/** The cool-down plus its random spread. */
const COOL_DOWN_MAX_MS = 33_000;
const FAILURE: SendResult = { status: 'transient', reason: 'provider_unavailable' };

const chunkOf = ({ campaignId }: NewCampaign) => ({ campaignId, chunkNo: 0 });
const deliveries = ({ campaignId }: NewCampaign) => listDeliveries(db, campaignId, { limit: 500 });
const makeDue = async ({ campaignId }: NewCampaign): Promise<void> => {
  await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [campaignId]);
  await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
    campaignId,
  ]);
};
const dueInSeconds = async ({ campaignId }: NewCampaign): Promise<number> => {
  const { rows } = await db.sql.query<{ seconds: number }>(
    'select extract(epoch from due_at - now())::float8 as seconds from campaign_chunks where campaign_id = $1',
    [campaignId],
  );
  return rows[0]?.seconds ?? NaN;
};

/** A worker whose channel answers as `answer` says now, and a campaign that has made its breaker open. */
async function createSubject() {
  const { applicationId } = await createSendingApplication(db);
  const campaign = await createSendingCampaign(db, { applicationId, count: COUNT });
  const clock = createFakeClock();
  const provider = { answer: FAILURE };
  const channel = scriptedChannel(({ applicationId: of }) =>
    of === applicationId ? provider.answer : { status: 'sent' },
  );
  const worker = testWorker(db, channel, { clock, concurrency: CONCURRENCY });
  await sendChunk(worker, chunkOf(campaign), unending);
  const shown = () => readOpenBreakers(db.sql, { applicationId, channel: 'EMAIL', version: 1 });
  return { applicationId, campaign, clock, provider, channel, worker, shown };
}

describe('a provider that fails every time', () => {
  test('is called ten times and those in flight; the rest is given back without an attempt, and none is lost', async () => {
    const { campaign, channel } = await createSubject();

    // The tenth response may arrive after the slots of the first nine were used again.
    expect(channel.calls.length).toBeGreaterThanOrEqual(10);
    expect(channel.calls.length).toBeLessThan(10 + CONCURRENCY);
    const states = (await deliveries(campaign)).map(
      ({ status, attempts }) => `${status} ${attempts}`,
    );
    expect(states.filter((state) => state === 'retry_wait 1')).toHaveLength(channel.calls.length);
    expect(states.filter((state) => state === 'pending 0')).toHaveLength(
      COUNT - channel.calls.length,
    );
    expect((await recount(db, campaign.campaignId)).groups).toEqual({ pending: COUNT });
  });

  test('is not called while the breaker is open: its chunk is due when it is tried again', async () => {
    const { campaign, channel, worker } = await createSubject();
    const before = channel.calls.length;
    await makeDue(campaign);

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(channel.calls).toHaveLength(before);
    expect(await dueInSeconds(campaign)).toBeGreaterThan(20);
    expect(await dueInSeconds(campaign)).toBeLessThanOrEqual(COOL_DOWN_MAX_MS / 1000);
    expect((await deliveries(campaign)).every(({ attempts }) => attempts <= 1)).toBe(true);
  });

  test('is tried with one delivery, and left alone again when that one fails', async () => {
    const { campaign, channel, clock, worker } = await createSubject();
    const before = channel.calls.length;
    clock.advance(COOL_DOWN_MAX_MS);
    await makeDue(campaign);

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(channel.calls).toHaveLength(before + 1);
  });

  test('that works again gets all of it', async () => {
    const { campaign, channel, clock, worker, provider, shown } = await createSubject();
    await eventually(async () => expect(await shown()).not.toBeNull());
    const before = channel.calls.length;
    provider.answer = { status: 'sent' };
    clock.advance(COOL_DOWN_MAX_MS);

    // The deliveries that went on while the probe was under way are due again soon after.
    await eventually(async () => {
      await makeDue(campaign);
      await sendChunk(worker, chunkOf(campaign), unending);
      expect((await recount(db, campaign.campaignId)).groups).toEqual({ sent: COUNT });
    });

    expect(channel.calls).toHaveLength(before + COUNT);
    await eventually(async () => expect(await shown()).toBeNull());
  });

  test('holds up no other application of the same worker', async () => {
    const { worker } = await createSubject();
    const other = await createSendingCampaign(db, { count: 12 });

    await sendChunk(worker, chunkOf(other), unending);

    expect((await recount(db, other.campaignId)).groups).toEqual({ sent: 12 });
  });

  test('is counted as open until the settings change', async () => {
    const opened = async () =>
      (await metricsRegistry.getSingleMetric('tidings_worker_open_breakers')?.get())?.values[0]
        ?.value;
    const before = (await opened()) ?? 0;
    const { applicationId, provider, worker } = await createSubject();
    expect(await opened()).toBe(before + 1);
    provider.answer = { status: 'sent' };

    await configureEmail(db, applicationId, { host: 'other.example' });
    await markChannelReady(db, { applicationId, channel: 'EMAIL', version: 2 });
    const next = await createSendingCampaign(db, { applicationId, count: 1 });
    await sendChunk(worker, chunkOf(next), unending);

    expect((await recount(db, next.campaignId)).groups).toEqual({ sent: 1 });
    expect(await opened()).toBe(before);
  });

  test('is shown, until its worker ends', async () => {
    const { worker, shown } = await createSubject();

    await eventually(async () =>
      expect(await shown()).toEqual({
        cause: 'failures',
        openedAt: expect.any(Number),
        probeAt: expect.any(Number),
        workers: 1,
      }),
    );
    await worker.accounts.close();

    expect(await shown()).toBeNull();
  });
});

describe('while a breaker is open', () => {
  test('a change of the settings is another account: it is tried at once', async () => {
    const { applicationId, campaign, channel, worker, provider } = await createSubject();
    const before = channel.calls.length;
    provider.answer = { status: 'sent' };
    await configureEmail(db, applicationId, { host: 'other.example' });
    await makeDue(campaign);

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(channel.calls).toHaveLength(before + COUNT);
    expect((await recount(db, campaign.campaignId)).groups).toEqual({ sent: COUNT });
  });

  test('a test send goes through, and closes it when it arrives', async () => {
    const { applicationId, campaign, channel, worker, provider } = await createSubject();
    const before = channel.calls.length;
    const trial = await createSendingCampaign(db, {
      applicationId,
      source: 'test',
      recipients: ['me@example.org'],
    });
    provider.answer = { status: 'sent' };

    await sendChunk(worker, chunkOf(trial), unending);
    expect(channel.calls).toHaveLength(before + 1);
    await makeDue(campaign);
    await sendChunk(worker, chunkOf(campaign), unending);

    expect((await recount(db, campaign.campaignId)).groups).toEqual({ sent: COUNT });
  });

  test('campaigns expire as ever', async () => {
    const { campaign, worker } = await createSubject();
    await makeDue(campaign);
    await sendChunk(worker, chunkOf(campaign), unending);

    await db.sql.query(`update campaigns set expires_at = now() where id = $1`, [
      campaign.campaignId,
    ]);
    await expireCampaigns(db);

    expect((await recount(db, campaign.campaignId)).groups).toEqual({ expired: COUNT });
  });

  test('the sweep dispatches its chunks when they are due, not before', async () => {
    const { campaign, worker } = await createSubject();
    await makeDue(campaign);
    await sendChunk(worker, chunkOf(campaign), unending);

    expect(await takeChunks(db, [chunkOf(campaign)], 1_000)).toEqual([]);
    await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);

    expect(await takeChunks(db, [chunkOf(campaign)], 1_000)).toMatchObject([chunkOf(campaign)]);
  });
});

test('what concerns one recipient opens nothing', async () => {
  const campaign = await createSendingCampaign(db, { count: COUNT });
  const channel = scriptedChannel(() => ({ ...FAILURE, isOfRecipient: true }));

  await sendChunk(
    testWorker(db, channel, { concurrency: CONCURRENCY }),
    chunkOf(campaign),
    unending,
  );

  expect(channel.calls.length).toBeGreaterThanOrEqual(COUNT);
});

test('a receiver that a message names fails by itself', async () => {
  const { applicationId } = await createSendingApplication(db);
  const [broken, sound] = await Promise.all(
    ['https://broken.example', 'https://sound.example'].map((url) =>
      createSendingCampaign(db, { applicationId, count: COUNT, message: { body: 'Text', url } }),
    ),
  );
  const channel = scriptedChannel(({ message }) =>
    message['url'] === 'https://broken.example' ? FAILURE : { status: 'sent' },
  );
  const worker = testWorker(
    db,
    { ...channel, receiverOf: ({ url }) => String(url) },
    { concurrency: CONCURRENCY },
  );
  if (broken === undefined || sound === undefined) throw new Error('two campaigns were wanted');

  await sendChunk(worker, chunkOf(broken), unending);
  await sendChunk(worker, chunkOf(sound), unending);

  expect((await recount(db, broken.campaignId)).groups).toEqual({ pending: COUNT });
  expect((await recount(db, sound.campaignId)).groups).toEqual({ sent: COUNT });
});
