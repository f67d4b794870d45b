import { afterAll, describe, expect, test } from '@jest/globals';
import type { SettingsChange } from '@tidings/accounts/applications';
import { acceptCampaign, type NewCampaign } from '@tidings/delivery/accept';
import { takeChunks } from '@tidings/delivery/chunks';
import { listCampaignEvents } from '@tidings/delivery/list-campaign-events';
import { listDeliveries } from '@tidings/delivery/list-deliveries';
import { readCampaign } from '@tidings/delivery/reports';
import { expireCampaigns } from '@tidings/delivery/sweeps';
import { updateApplication } from '@tidings/people/update-application';
import { systemClock } from '@tidings/platform';
import {
  connectTestDatabase,
  createFakeClock,
  createSendingApplication,
  expandAll,
  newCampaign,
  recount,
  registerUsers,
  someIds,
} from '@tidings/testing';
import type { SendResult } from '../channel.ts';
import { sendChunk } from '../send-chunk.ts';
import { scriptedChannel } from '../testing/scripted-channel.ts';
import { testWorker } from '../testing/test-worker.ts';
import { createPolicyCache } from '../settings-cache.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const unending = new AbortController().signal;
const chunkOf = ({ campaignId }: NewCampaign) => ({ campaignId, chunkNo: 0 });
const deliveries = ({ campaignId }: NewCampaign) => listDeliveries(db, campaignId, { limit: 500 });

async function applicationWith(settings: SettingsChange): Promise<string> {
  const { applicationId } = await createSendingApplication(db);
  await updateApplication(db, applicationId, { settings });
  return applicationId;
}

async function campaignTo(
  applicationId: string,
  recipients: readonly string[],
  overrides: Partial<NewCampaign> = {},
): Promise<NewCampaign> {
  const campaign = newCampaign({
    applicationId,
    purpose: 'marketing',
    recipients: [...recipients],
    ...overrides,
  });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  return campaign;
}

async function registered(applicationId: string, count: number): Promise<string[]> {
  const users = someIds(count);
  await registerUsers(db, applicationId, users);
  return users;
}

const send = (
  campaign: NewCampaign,
  options: {
    readonly answer?: () => SendResult;
    readonly at?: string;
    readonly channelName?: 'EMAIL' | 'SMS';
  } = {},
) => {
  const channel = scriptedChannel(options.answer);
  const clock = {
    ...systemClock,
    now: () => (options.at === undefined ? Date.now() : Date.parse(options.at)),
  };
  const channelName = options.channelName ?? 'EMAIL';
  return {
    channel,
    done: sendChunk(
      testWorker(db, channel, { clock, channelName, policies: createPolicyCache(db, channelName) }),
      chunkOf(campaign),
      unending,
    ),
  };
};

async function sent(
  campaign: NewCampaign,
  options: Parameters<typeof send>[1] = {},
): Promise<number> {
  const { channel, done } = send(campaign, options);
  await done;
  return channel.calls.length;
}

const makeDue = ({ campaignId }: NewCampaign) =>
  db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [campaignId]);
/** Due time of the chunk after the sweep; null if it is never due. */
const dueIn = async (campaign: NewCampaign) => {
  const { campaignId } = campaign;
  await db.sql.query('update campaign_chunks set due_at = now() where campaign_id = $1', [
    campaignId,
  ]);
  expect(await takeChunks(db, [chunkOf(campaign)], 1_000)).toEqual([]);
  const { rows } = await db.sql.query<{ in_ms: number | null }>(
    'select extract(epoch from due_at - now())::float8 * 1000 as in_ms from campaign_chunks where campaign_id = $1',
    [campaignId],
  );
  return rows[0]?.in_ms;
};
const countersAreRight = async (campaign: NewCampaign) => {
  const record = await readCampaign(db, campaign.applicationId, campaign.campaignId);
  const { groups, failures } = await recount(db, campaign.campaignId);
  expect({
    pending: record?.counts.pending,
    failed: record?.counts.failed,
    failures: record?.failures,
  }).toEqual({ pending: groups['pending'] ?? 0, failed: groups['failed'] ?? 0, failures });
};

const NIGHT = '2026-06-10T20:00:00Z';
const HOUR_MS = 3_600_000;

describe('quiet hours', () => {
  const quiet = {
    timeZone: 'Europe/Berlin',
    quietHours: { default: { from: '21:00', to: '08:00' } },
  };

  test('hold marketing until they end where the recipient is, with its chunk due then', async () => {
    const applicationId = await applicationWith(quiet);
    await registerUsers(db, applicationId, {
      ada: { email: 'ada@example.org' },
      tom: { email: 'tom@example.org' },
    });
    await db.sql.query(
      `update users set custom_attributes = '{"timeZone":"America/New_York"}' where application_id = $1 and custom_user_id = 'tom'`,
      [applicationId],
    );
    const campaign = await campaignTo(applicationId, ['ada', 'tom']);

    expect(await sent(campaign, { at: NIGHT })).toBe(1);

    expect(await deliveries(campaign)).toMatchObject([
      { customUserId: 'ada', status: 'pending', reason: 'quiet_hours', attempts: 0 },
      { customUserId: 'tom', status: 'sent', reason: null },
    ]);
    expect(Number(await dueIn(campaign)) / HOUR_MS).toBeCloseTo(10, 1);
    await countersAreRight(campaign);

    await makeDue(campaign);
    expect(await sent(campaign, { at: '2026-06-11T06:00:00Z' })).toBe(1);
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'sent', reason: null },
      { status: 'sent' },
    ]);
    await countersAreRight(campaign);
  });

  test("apply again to rows held while Postgres' clock was ahead, and to no others", async () => {
    const applicationId = await applicationWith(quiet);
    const campaign = await campaignTo(applicationId, await registered(applicationId, 2));
    expect(await sent(campaign, { at: NIGHT })).toBe(0);
    await db.sql.query(
      `update deliveries set next_at = next_at + interval '1 hour', updated_at = updated_at + interval '1 hour'
       where id = (select min(id::text)::uuid from deliveries where campaign_id = $1)`,
      [campaign.campaignId],
    );
    const fences = async () =>
      (
        await db.sql.query<{ fence: number }>(
          'select fence from deliveries where campaign_id = $1 order by id',
          [campaign.campaignId],
        )
      ).rows.map(({ fence }) => fence);
    expect(await fences()).toEqual([1, 1]);

    expect(await sent(campaign, { at: NIGHT })).toBe(0);

    expect(await fences()).toEqual([2, 1]);
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'pending', reason: 'quiet_hours' },
      { status: 'pending', reason: 'quiet_hours' },
    ]);
    expect(Number(await dueIn(campaign)) / HOUR_MS).toBeCloseTo(10, 1);
    expect(await sent(campaign, { at: NIGHT })).toBe(0);
    expect(await fences()).toEqual([2, 1]);
  });

  test('do not keep a message from expiring', async () => {
    const applicationId = await applicationWith(quiet);
    const campaign = await campaignTo(applicationId, await registered(applicationId, 2));
    await sent(campaign, { at: NIGHT });
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);

    await expireCampaigns(db);

    expect(await deliveries(campaign)).toMatchObject([
      { status: 'expired' },
      { status: 'expired' },
    ]);
    await countersAreRight(campaign);
  });

  test('let marketing fail where the application wants that', async () => {
    const applicationId = await applicationWith({
      ...quiet,
      quietHours: { EMAIL: { from: '21:00', to: '08:00', action: 'drop' } },
    });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 3));

    expect(await sent(campaign, { at: NIGHT })).toBe(0);
    expect((await readCampaign(db, applicationId, campaign.campaignId))?.failures).toEqual({
      quiet_hours: 3,
    });
  });

  test('are nothing to transactional messages, nor to another channel', async () => {
    const applicationId = await applicationWith({
      ...quiet,
      quietHours: { default: { from: '21:00', to: '08:00' } },
    });
    expect(
      await sent(
        await campaignTo(applicationId, await registered(applicationId, 2), {
          purpose: 'transactional',
        }),
        { at: NIGHT },
      ),
    ).toBe(2);

    const other = await applicationWith({
      ...quiet,
      quietHours: { SMS: { from: '21:00', to: '08:00' } },
    });
    expect(await sent(await campaignTo(other, await registered(other, 2)), { at: NIGHT })).toBe(2);
  });

  test('that start during the wait for slots apply when rows are marked', async () => {
    const applicationId = await applicationWith(quiet);
    const campaign = await campaignTo(applicationId, await registered(applicationId, 1));
    const clock = createFakeClock(Date.parse('2026-06-10T18:59:59.999Z'));
    const channel = scriptedChannel();
    const worker = testWorker(db, channel, { clock });
    const accounts: typeof worker.accounts = {
      ...worker.accounts,
      of(...args) {
        const account = worker.accounts.of(...args);
        return {
          ...account,
          allowSends: (...wanted) => {
            clock.advance(1);
            return account.allowSends(...wanted);
          },
        };
      },
    };

    await sendChunk({ ...worker, accounts }, chunkOf(campaign), unending);

    expect(channel.calls).toEqual([]);
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'pending', reason: 'quiet_hours' },
    ]);
  });
});

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

describe('an unknown outcome', () => {
  const unknown = (): SendResult => ({ status: 'unknown' });

  test('of an e-mail is sent once more with the consent of the application: counted, logged, under a new fence', async () => {
    const applicationId = await applicationWith({ resendOnUnknown: { EMAIL: true } });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 1));
    const first = send(campaign, { answer: unknown });
    await first.done;
    expect(await deliveries(campaign)).toMatchObject([
      { status: 'retry_wait', reason: 'outcome_unknown', attempts: 1 },
    ]);
    expect(Number(await dueIn(campaign))).toBeGreaterThan(30_000);
    await countersAreRight(campaign);

    await makeDue(campaign);
    const second = send(campaign, { answer: unknown });
    await second.done;

    expect(await deliveries(campaign)).toMatchObject([
      { status: 'unknown', reason: 'outcome_unknown', attempts: 2 },
    ]);
    expect(second.channel.calls[0]?.fence).toBe(Number(first.channel.calls[0]?.fence) + 1);
    const events = await listCampaignEvents(db, campaign.campaignId, { limit: 500 });
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('delivery.'))).toEqual([
      'delivery.retry_wait',
      'delivery.unknown',
    ]);
    await countersAreRight(campaign);
  });

  test('stays unknown when the campaign expires before it is sent again', async () => {
    const applicationId = await applicationWith({ resendOnUnknown: { EMAIL: true } });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 1));
    await sent(campaign, { answer: unknown });
    await db.sql.query('update campaigns set expires_at = now() where id = $1', [
      campaign.campaignId,
    ]);

    await expireCampaigns(db);

    expect(await deliveries(campaign)).toMatchObject([
      { status: 'unknown', reason: 'outcome_unknown', attempts: 1 },
    ]);
    await countersAreRight(campaign);
  });

  test('stays unknown without consent', async () => {
    const applicationId = await applicationWith({ resendOnUnknown: { SMS: true } });
    const campaign = await campaignTo(applicationId, await registered(applicationId, 1));
    await sent(campaign, { answer: unknown });

    expect(await deliveries(campaign)).toMatchObject([{ status: 'unknown' }]);
    expect(await dueIn(campaign)).toBeNull();
  });
});
