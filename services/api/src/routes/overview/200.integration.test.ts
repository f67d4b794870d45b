import { afterAll, expect, test } from '@jest/globals';
import { writeChannelAccounts } from '@tidings/accounts/channel-settings';
import type { AnswerOf } from '@tidings/api-spec/endpoint';
import type { channelEndpoints } from '@tidings/api-spec/endpoints/channels';
import type { readOverviewEndpoint } from '@tidings/api-spec/endpoints/overview';
import { pauseAccount } from '@tidings/channel-breakers/account-pauses';
import { recordOpenBreaker } from '@tidings/channel-breakers/open-breakers';
import { acceptCampaign } from '@tidings/delivery/accept';
import { configureChannel, newCampaign, testSecretBox } from '@tidings/testing';
import { createWebhookEndpoint } from '@tidings/webhook-queue/endpoints';
import { createDeadLetter } from '../../testing/dead-letter.ts';
import { insertEvent, insertRejection, insertRequest } from '../../testing/log-rows.ts';
import { startTestApi } from '../../testing/test-api.ts';

type Overview = AnswerOf<typeof readOverviewEndpoint>;
type ChannelState = AnswerOf<ReturnType<typeof channelEndpoints>['read']>;

const api = await startTestApi();
afterAll(async () => {
  await api[Symbol.asyncDispose]();
});
const { db, tenant, other } = api;
const { applicationId } = tenant;
const read = async () =>
  (await api.request<Overview>('GET', 'overview', { headers: api.asAdmin })).body;

test('a new application has its keys and no problems', async () => {
  const overview = await read();

  expect(overview.ingest.perMinute).toHaveLength(60);
  expect(overview.ingest.lag).toEqual({ 'users-consumer': 0, 'events-consumer': 0 });
  expect(overview.attention).toEqual([]);
  expect(overview.backlog).toEqual({ campaigns: 0, deliveries: 0, since: null });
  expect(overview.channels.every(({ status }) => status === 'not_configured')).toBe(true);
  expect(overview.firstSteps).toEqual({
    hasKey: true,
    hasEvent: false,
    hasUser: false,
    hasReadyChannel: false,
    hasCampaign: false,
  });
});

test('a Client key alone does not count as a key', async () => {
  await using own = await startTestApi();
  await own.db.sql.query("update api_keys set type = 'client' where application_id = $1", [
    own.tenant.applicationId,
  ]);

  const { body } = await own.request<Overview>('GET', 'overview', { headers: own.asAdmin });

  expect(body.firstSteps.hasKey).toBe(false);
});

test('arrivals are counted per minute, rejected ones including those without an entry, for this application only', async () => {
  const at = new Date();
  await insertRequest(db, applicationId, {
    receivedAt: at,
    receipts: [{ outcome: 'processed' }, { outcome: 'processed' }],
  });
  await insertRequest(db, applicationId, { receivedAt: at, receipts: [{ outcome: 'processed' }] });
  await insertRequest(db, other.applicationId, {
    receivedAt: at,
    receipts: [{ outcome: 'processed' }],
  });
  await insertRejection(db, applicationId, { receivedAt: at, unlisted: 4 });
  await insertEvent(db, applicationId, { slug: 'click' });

  const { ingest, firstSteps } = await read();

  expect(ingest.perMinute.filter(({ requests }) => requests > 0)).toEqual([
    { at: Math.floor(at.getTime() / 60_000) * 60_000, requests: 2, messages: 3, refused: 5 },
  ]);
  expect(firstSteps.hasEvent).toBe(true);
});

test('outcomes are counted per channel, and unfinished deliveries are the backlog', async () => {
  await configureChannel(db, applicationId, 'SMS');
  const campaign = newCampaign({
    applicationId,
    channel: 'SMS',
    recipients: ['a', 'b', 'c', 'd', 'e', 'f', 'g'],
  });
  await acceptCampaign(db, campaign);
  await db.sql.query(
    `insert into campaign_counters (campaign_id, state, reason, shard, n, first_at, last_at)
     values ($1, 'pending', '', 0, 1, now(), now()), ($1, 'delivered', '', 0, 1, now(), now()), ($1, 'failed', 'no_address', 0, 2, now(), now()), ($1, 'failed', 'provider_rejected', 0, 3, now(), now()), ($1, 'complained', '', 0, 1, now(), now())`,
    [campaign.campaignId],
  );

  const { outcomes, backlog, attention, firstSteps } = await read();

  for (const { channels, campaigns } of [outcomes.lastHour, outcomes.lastDay]) {
    expect(campaigns).toBe(1);
    const counts = {
      total: 7,
      successful: 1,
      failed: 5,
      unknown: 0,
      expired: 0,
      canceled: 0,
      waiting: 0,
      pending: 1,
    };
    expect(channels).toEqual([
      { channel: 'SMS', ...counts, attempted: 4, notReachable: 2, successRate: 0.25 },
    ]);
  }
  expect(backlog).toEqual({ campaigns: 1, deliveries: 1, since: campaign.createdAt });
  expect(attention).toContainEqual({
    kind: 'campaign_failing',
    at: campaign.createdAt,
    campaignId: campaign.campaignId,
    channel: 'SMS',
    count: 3,
    total: 4,
    reason: 'failures',
  });
  expect(firstSteps).toMatchObject({ hasReadyChannel: true, hasCampaign: true });
});

test('a campaign needs attention when it reached no one, but not because of unreachable recipients', async () => {
  await using own = await startTestApi();
  await configureChannel(own.db, own.tenant.applicationId, 'SMS');
  const accept = async (counters: string): Promise<string> => {
    const campaign = newCampaign({
      applicationId: own.tenant.applicationId,
      channel: 'SMS',
      recipients: ['a', 'b', 'c', 'd', 'e'],
    });
    await acceptCampaign(own.db, campaign);
    await own.db.sql.query(
      `insert into campaign_counters (campaign_id, state, reason, shard, n, first_at, last_at)
       select $1, state, reason, 0, n, now(), now() from (values ${counters}) as v (state, reason, n)`,
      [campaign.campaignId],
    );
    await own.db.sql.query(
      "update campaigns set status = 'completed', completed_at = now() where id = $1",
      [campaign.campaignId],
    );
    return campaign.campaignId;
  };
  const missed = await accept("('failed', 'no_address', 5)");
  const expired = await accept("('expired', '', 5)");
  const partly = await accept("('expired', '', 4), ('failed', 'unknown_user', 1)");
  const allFailed = await accept("('failed', 'provider_rejected', 3), ('canceled', '', 2)");
  await accept("('expired', '', 4), ('sent', '', 1)");
  await accept("('failed', 'unknown_user', 4), ('sent', '', 1)");
  await accept("('canceled', '', 4), ('sent', '', 1)");

  const { body } = await own.request<Overview>('GET', 'overview', { headers: own.asAdmin });

  const named = body.attention.filter(({ kind }) => kind === 'campaign_failing');
  expect(
    named.map(({ campaignId, reason, count, total }) => ({ campaignId, reason, count, total })),
  ).toEqual([
    { campaignId: allFailed, reason: 'all_failed', count: 3, total: 3 },
    { campaignId: partly, reason: 'no_one_reached', count: 5, total: 5 },
    { campaignId: expired, reason: 'no_one_reached', count: 5, total: 5 },
    { campaignId: missed, reason: 'no_one_reached', count: 5, total: 5 },
  ]);
  // In each of the others one of one attempt was successful: missing addresses and canceled
  // recipients are not failures.
  expect(body.outcomes.lastDay.channels).toMatchObject([
    { channel: 'SMS', total: 35, successful: 3, attempted: 6, notReachable: 10, successRate: 0.5 },
  ]);
});

test('lists all problems: dead letters, failing endpoints, paused or untested channels, rejected addresses', async () => {
  await createDeadLetter(db, { applicationId });
  const webhook = await createWebhookEndpoint(db, api.deps.box, {
    applicationId,
    url: 'https://gone.example/',
    description: '',
    kinds: [],
    channels: [],
  });
  if (webhook === 'too_many') throw new Error('no endpoint');
  await db.sql.query(
    `update webhook_endpoints set status = 'disabled', disabled_reason = 'gone', disabled_at = now() where id = $1`,
    [webhook.id],
  );
  await db.sql.query(
    `insert into channel_pauses (application_id, channel, version, reason) values ($1, 'SMS', 1, 'provider_auth')`,
    [applicationId],
  );
  await db.sql.query(
    `insert into channel_breakers (application_id, channel, receiver, owner, version, cause, probe_at) values ($1, 'SMS', '', 'a worker', 1, 'failures', now())`,
    [applicationId],
  );
  await insertRejection(db, applicationId, {
    code: 'ip_not_allowed',
    status: 403,
    address: '203.0.113.7',
  });

  const { attention, channels } = await read();

  expect(attention.map(({ kind }) => kind)).toEqual([
    'channel_paused',
    'channel_breaker_open',
    'campaign_failing',
    'dead_letters',
    'webhook_disabled',
    'addresses_refused',
  ]);
  expect(attention.at(-1)).toMatchObject({ address: '203.0.113.7', count: 1 });
  expect(channels.find(({ channel }) => channel === 'SMS')).toMatchObject({
    status: 'ready',
    pause: { reason: 'provider_auth' },
    breaker: { cause: 'failures', workers: 1 },
  });
});

test('a channel has issues once no account of several sends', async () => {
  await using own = await startTestApi();
  const { db: ownDb, tenant: ownTenant, asAdmin: headers } = own;
  const key = { applicationId: ownTenant.applicationId, channel: 'EMAIL' } as const;
  const account = (name: string, status: 'ready' | 'untested') => ({
    name,
    status,
    testedAt: null,
    settings: {},
    secrets: {},
    share: null,
    countries: null,
  });
  await writeChannelAccounts(ownDb, testSecretBox, {
    ...key,
    accounts: [account('main', 'ready'), account('spare', 'ready'), account('new', 'untested')],
  });
  const open = (receiver: string, probeInMs: number) =>
    recordOpenBreaker(ownDb.sql, {
      ...key,
      version: 1,
      receiver,
      owner: 'worker',
      cause: 'failures',
      probeInMs,
    });
  const readBoth = async () => {
    const { body } = await own.request<Overview>('GET', 'overview', { headers });
    const shown = await own.request<ChannelState>('GET', 'channels/EMAIL', { headers });
    const [email] = body.channels.filter(({ channel }) => channel === 'EMAIL');
    expect(shown.body.breaker).toEqual(email?.breaker);
    const [name] = (shown.body.accounts ?? []).flatMap((each) =>
      each.breaker !== undefined && each.breaker.probeAt === email?.breaker?.probeAt
        ? [each.name]
        : [],
    );
    return { triedFirst: name, attention: body.attention.map(({ kind }) => kind) };
  };

  await open('main', 60_000);
  expect(await readBoth()).toEqual({ triedFirst: undefined, attention: [] });

  // The account that is not tested sends nothing.
  await open('spare', 30_000);
  const attention = ['channel_breaker_open'];
  expect(await readBoth()).toEqual({ triedFirst: 'spare', attention });

  // One that is paused is not tried again.
  await pauseAccount(ownDb.sql, { ...key, version: 1, account: 'spare', reason: 'provider_auth' });
  expect(await readBoth()).toEqual({ triedFirst: 'main', attention });
});
