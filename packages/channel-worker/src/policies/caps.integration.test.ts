import { afterAll, describe, expect, test } from '@jest/globals';
import { listCampaignEvents } from '@tidings/campaign-reports/list-campaign-events';
import { readCampaign } from '@tidings/campaign-reports/reports';
import { connectTestDatabase, registerUsers } from '@tidings/testing';
import { sendChunk } from '../send-chunk.ts';
import { chunkOf, unending } from '../testing/first-chunk.ts';
import { scriptedChannel } from '../testing/scripted-channel.ts';
import { testWorker } from '../testing/test-worker.ts';
import { createPolicyCache } from '../settings-cache.ts';
import { policyHelpers } from '../testing/policy-campaigns.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const {
  deliveries,
  applicationWith,
  campaignTo,
  registered,
  send,
  sent,
  makeDue,
  dueIn,
  countersAreRight,
} = policyHelpers(db);

const HOUR_MS = 3_600_000;

describe('a frequency cap', () => {
  test('fails messages over the cap, and ignores transactional ones', async () => {
    const applicationId = await applicationWith({
      frequencyCaps: { default: { messages: 1, windowHours: 24 } },
    });
    const users = await registered(applicationId, 8);

    expect(await sent(await campaignTo(applicationId, users))).toBe(8);
    const second = await campaignTo(applicationId, users);
    expect(await sent(second)).toBe(0);
    expect(await sent(await campaignTo(applicationId, users, { purpose: 'transactional' }))).toBe(
      8,
    );

    expect((await readCampaign(db, applicationId, second.campaignId))?.failures).toEqual({
      frequency_capped: 8,
    });
    await countersAreRight(second);
  });

  test('holds it until there is room where the application wants that', async () => {
    const applicationId = await applicationWith({
      frequencyCaps: { EMAIL: { messages: 1, windowHours: 24, action: 'hold' } },
    });
    const users = await registered(applicationId, 2);
    await sent(await campaignTo(applicationId, users));
    const second = await campaignTo(applicationId, users);

    expect(await sent(second)).toBe(0);

    expect(await deliveries(second)).toMatchObject([
      { status: 'pending', reason: 'frequency_capped' },
      { status: 'pending', reason: 'frequency_capped' },
    ]);
    expect(Number(await dueIn(second)) / HOUR_MS).toBeCloseTo(24, 1);
    await db.sql.query(
      `update marketing_sends s set armed_at = armed_at - interval '25 hours' from users u where u.id = s.user_id and u.application_id = $1`,
      [applicationId],
    );
    await makeDue(second);
    expect(await sent(second)).toBe(2);
  });

  test('is exact for two campaigns and four workers at once', async () => {
    const applicationId = await applicationWith({
      frequencyCaps: { default: { messages: 1, windowHours: 24 } },
    });
    const users = await registered(applicationId, 24);
    const campaigns = [
      await campaignTo(applicationId, users),
      await campaignTo(applicationId, users),
    ];
    const workers = campaigns.flatMap((campaign) => [send(campaign), send(campaign)]);

    await Promise.all(workers.map(({ done }) => done));

    const reached = workers.flatMap(({ channel }) =>
      channel.calls.map(({ customUserId }) => customUserId),
    );
    expect(reached.toSorted()).toEqual(users.toSorted());
    for (const campaign of campaigns) await countersAreRight(campaign);
  }, 20_000);
});

describe('a daily cap', () => {
  test('ends the day: the rest fails, and the campaign says so', async () => {
    const applicationId = await applicationWith({ dailyCaps: { EMAIL: 7 } });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 10), {
      purpose: 'transactional',
    });

    expect(await sent(campaign)).toBe(7);

    expect((await readCampaign(db, applicationId, campaign.campaignId))?.failures).toEqual({
      spend_cap: 3,
    });
    const events = await listCampaignEvents(db, campaign.campaignId, { limit: 500 });
    expect(events.filter(({ type }) => type === 'campaign.spend_capped')).toMatchObject([
      { reason: 'spend_cap', detail: new Date().toISOString().slice(0, 10) },
    ]);
    await countersAreRight(campaign);
  });

  test('counts segments of SMS', async () => {
    const applicationId = await applicationWith({ dailyCaps: { SMS: 5 } });
    await db.sql.query(
      `insert into channel_settings (application_id, channel, settings, status) values ($1, 'SMS', '{}', 'ready')`,
      [applicationId],
    );
    await registerUsers(
      db,
      applicationId,
      Object.fromEntries(
        [1, 2, 3].map((n) => [`u${n}`, { phoneNumber: 'x', phoneE164: `+491511234500${n}` }]),
      ),
    );
    const campaign = await campaignTo(applicationId, ['u1', 'u2', 'u3'], {
      channel: 'SMS',
      message: { body: 'a'.repeat(200) },
    });
    const channel = scriptedChannel();
    const { cache } = testWorker(db, channel);
    const sms = {
      ...cache,
      settings: async (id: string) => ({
        ...(await cache.settings(id, 1)),
        channel: 'SMS' as const,
      }),
    } as typeof cache;

    await sendChunk(
      testWorker(db, channel, {
        channelName: 'SMS',
        cache: sms,
        policies: createPolicyCache(db, 'SMS'),
      }),
      chunkOf(campaign),
      unending,
    );

    expect(channel.calls).toHaveLength(2);
    expect((await readCampaign(db, applicationId, campaign.campaignId))?.failures).toEqual({
      spend_cap: 1,
    });
  });

  test('gets back what no provider accepted', async () => {
    const applicationId = await applicationWith({ dailyCaps: { EMAIL: 5 } });
    const refused = await campaignTo(applicationId, await registered(applicationId, 5));
    expect(
      await sent(refused, { answer: () => ({ status: 'permanent', reason: 'provider_rejected' }) }),
    ).toBe(5);
    const doubtful = await campaignTo(applicationId, await registered(applicationId, 2));
    await sent(doubtful, { answer: () => ({ status: 'unknown' }) });

    expect(await sent(await campaignTo(applicationId, await registered(applicationId, 5)))).toBe(3);
  });
});
