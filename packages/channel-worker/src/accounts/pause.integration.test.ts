import { afterAll, describe, expect, test } from '@jest/globals';
import { readChannelSettings } from '@tidings/accounts/channel-settings';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { readChannelPause, resumeChannel } from '@tidings/delivery/channel-pauses';
import { takeChunks } from '@tidings/delivery/chunks';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import {
  configureEmail,
  connectTestDatabase,
  createSendingApplication,
  createSendingCampaign,
  expandAll,
  newCampaign,
  recount,
  testSecretBox,
} from '@tidings/testing';
import type { SendResult } from '../channel.ts';
import { sendChunk } from '../send-chunk.ts';
import { scriptedChannel } from '../testing/scripted-channel.ts';
import { testWorker } from '../testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const unending = new AbortController().signal;
const CONCURRENCY = 5;
const WRONG: SendResult = {
  status: 'configuration',
  reason: 'provider_auth',
  providerCode: '535 5.7.8',
  providerMessage: '535 Bad credentials',
};

const chunkOf = ({ campaignId }: NewCampaign) => ({ campaignId, chunkNo: 0 });
const groups = async ({ campaignId }: NewCampaign) => (await recount(db, campaignId)).groups;
const events = async ({ campaignId }: NewCampaign) => {
  const all = await listCampaignEvents(db, campaignId, { limit: 500 });
  return all.filter(({ type }) => type.startsWith('channel.'));
};
const dueNow = async ({ campaignId }: NewCampaign): Promise<number> => {
  const { rows } = await db.sql.query<{ n: number }>(
    `select count(*)::int as n from deliveries d join campaign_chunks k using (campaign_id, chunk_no)
     where d.campaign_id = $1 and d.next_at <= now() and k.due_at <= now()`,
    [campaignId],
  );
  return rows[0]?.n ?? NaN;
};

async function createSubject({ isOfRecipient = false } = {}) {
  const { applicationId } = await createSendingApplication(db);
  const campaign = await createSendingCampaign(db, { applicationId, count: 20 });
  const provider: { answer: SendResult } = {
    answer: isOfRecipient ? { ...WRONG, isOfRecipient } : WRONG,
  };
  const channel = scriptedChannel(() => provider.answer);
  const worker = testWorker(db, channel, { concurrency: CONCURRENCY });
  await sendChunk(worker, chunkOf(campaign), unending);
  const pause = async () => {
    const settings = await readChannelSettings(db, testSecretBox, {
      applicationId,
      channel: 'EMAIL',
    });
    return settings === null ? null : readChannelPause(db.sql, settings);
  };
  /** As after settings were written. */
  const mend = async (): Promise<void> => {
    await configureEmail(db, applicationId, { host: 'right.example' });
    await resumeChannel(db, { applicationId, channel: 'EMAIL', version: 2 });
  };
  return { applicationId, campaign, channel, worker, provider, pause, mend };
}

describe('wrong settings pause the channel of their application', () => {
  test('the deliveries are kept, none has used up an attempt, and the provider is left alone', async () => {
    const { campaign, channel, worker, pause } = await createSubject();
    const before = channel.calls.length;
    expect(before).toBeLessThanOrEqual(2 * CONCURRENCY);

    await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);
    await sendChunk(worker, chunkOf(campaign), unending);
    // Nor by a worker that knows nothing of it.
    await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

    expect(channel.calls).toHaveLength(before);
    expect(await groups(campaign)).toEqual({ pending: 20 });
    expect(
      (await listDeliveries(db, campaign.campaignId, { limit: 500 })).every(
        ({ attempts }) => attempts === 0,
      ),
    ).toBe(true);
    expect(await pause()).toEqual({
      reason: 'provider_auth',
      providerCode: '535 5.7.8',
      providerMessage: '535 Bad credentials',
      pausedAt: expect.any(Number),
    });
  });

  test('its campaigns log it once', async () => {
    const { campaign } = await createSubject();

    expect(await events(campaign)).toMatchObject([
      {
        type: 'channel.paused',
        reason: 'provider_auth',
        providerCode: '535 5.7.8',
        detail: '535 Bad credentials',
      },
    ]);
  });

  test('its chunks are checked as often as those of a paused campaign', async () => {
    const { campaign } = await createSubject();
    await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);
    await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);

    expect(await takeChunks(db, [chunkOf(campaign)], 40_000)).toEqual([]);

    const { rows } = await db.sql.query<{ seconds: number }>(
      'select extract(epoch from due_at - now())::float8 as seconds from campaign_chunks where campaign_id = $1',
      [campaign.campaignId],
    );
    expect(rows[0]?.seconds).toBeGreaterThan(20);
  });

  test('other applications go on', async () => {
    const { worker, provider } = await createSubject();
    const other = await createSendingCampaign(db, { count: 10 });
    provider.answer = { status: 'sent' };

    await sendChunk(worker, chunkOf(other), unending);

    expect(await groups(other)).toEqual({ sent: 10 });
  });

  test('secrets that cannot be opened are a fault of the settings', async () => {
    const { applicationId } = await createSendingApplication(db);
    await db.sql.query(
      `update channel_settings set sealed_secrets = 'sealed with another key' where application_id = $1`,
      [applicationId],
    );
    const campaign = await createSendingCampaign(db, { applicationId, count: 20 });
    const channel = scriptedChannel();

    await sendChunk(
      testWorker(db, channel, { concurrency: CONCURRENCY }),
      chunkOf(campaign),
      unending,
    );

    expect(channel.calls).toEqual([]);
    expect(await groups(campaign)).toEqual({ pending: 20 });
    expect(
      await readChannelPause(db.sql, { applicationId, channel: 'EMAIL', version: 1 }),
    ).toMatchObject({ reason: 'provider_auth', providerCode: 'unreadable_secrets' });
  });

  test('a number that the account may not reach pauses nothing', async () => {
    const { channel, pause } = await createSubject({ isOfRecipient: true });

    expect(channel.calls).toHaveLength(20);
    expect(await pause()).toBeNull();
  });
});

describe('a paused channel goes on', () => {
  test('when its settings change: all that waited is due at once, and is sent', async () => {
    const { campaign, channel, worker, provider, pause, mend } = await createSubject();
    const before = channel.calls.length;
    provider.answer = { status: 'sent' };

    await mend();
    expect(await dueNow(campaign)).toBe(20);
    expect(await takeChunks(db, [chunkOf(campaign)], 40_000)).toMatchObject([chunkOf(campaign)]);
    await sendChunk(worker, chunkOf(campaign), unending);

    expect(await groups(campaign)).toEqual({ sent: 20 });
    expect(channel.calls).toHaveLength(before + 20);
    expect(await pause()).toBeNull();
    expect(await events(campaign)).toMatchObject([
      { type: 'channel.paused' },
      { type: 'channel.resumed' },
    ]);
  });

  test('also without a resume: a pause applies to one version of the settings', async () => {
    const { applicationId, campaign, worker, provider } = await createSubject();
    provider.answer = { status: 'sent' };
    await configureEmail(db, applicationId, { host: 'right.example' });
    await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);

    await sendChunk(worker, chunkOf(campaign), unending);

    expect(await groups(campaign)).toEqual({ sent: 20 });
  });

  test('when a test send succeeds, which the pause does not hold up', async () => {
    const { applicationId, campaign, worker, provider, channel } = await createSubject();
    const trial = newCampaign({ applicationId, source: 'test', recipients: ['me@example.org'] });
    await acceptCampaign(db, trial);
    await expandAll(db, trial.campaignId);
    const before = channel.calls.length;
    provider.answer = { status: 'sent' };

    await sendChunk(worker, chunkOf(trial), unending);
    expect(channel.calls).toHaveLength(before + 1);
    await resumeChannel(db, { applicationId, channel: 'EMAIL', version: 1 });
    expect(await dueNow(campaign)).toBe(20);
    await sendChunk(testWorker(db, channel), chunkOf(campaign), unending);

    expect(await groups(campaign)).toEqual({ sent: 20 });
  });

  test('not for results of earlier settings', async () => {
    const { applicationId, campaign, pause, worker, mend } = await createSubject();
    await mend();
    // The new ones are wrong as well.
    await sendChunk(worker, chunkOf(campaign), unending);
    expect(await pause()).not.toBeNull();

    await resumeChannel(db, { applicationId, channel: 'EMAIL', version: 1 });

    expect(await pause()).not.toBeNull();
  });

  test('what a policy holds back stays held', async () => {
    const { campaign, mend } = await createSubject();
    await db.sql.query(
      `update deliveries set state = 'pending', reason = 'quiet_hours', next_at = now() + interval '1 h'
       where id in (select id from deliveries where campaign_id = $1 order by id limit 4)`,
      [campaign.campaignId],
    );

    await mend();

    expect(await dueNow(campaign)).toBe(16);
  });
});
