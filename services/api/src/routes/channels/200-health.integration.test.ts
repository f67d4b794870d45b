import { describe, expect, test } from '@jest/globals';
import type { RecentOutcomes } from '@tidings/api-spec/channel-health-schema';
import type { AnswerOf } from '@tidings/api-spec/endpoint';
import type { listChannelsEndpoint } from '@tidings/api-spec/endpoints/channels';
import type { readOverviewEndpoint } from '@tidings/api-spec/endpoints/overview';
import { acceptCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates, type StateChange } from '@tidings/delivery/change-states';
import { configureChannel, newCampaign } from '@tidings/testing';
import { startTestApi, type TestApi } from '../../testing/test-api.ts';

type Ended = Pick<StateChange, 'outcome' | 'reason' | 'state'>;
const SENT: Ended = { state: 'sent', outcome: 'sent' };
const REJECTED: Ended = { state: 'failed', outcome: 'permanent', reason: 'provider_rejected' };
const UNAVAILABLE: Ended = {
  state: 'retry_wait',
  outcome: 'transient',
  reason: 'provider_unavailable',
};

/** A campaign whose deliveries end as given, in this order. Returns its id. */
async function sendAll(
  { db, tenant: { applicationId } }: TestApi,
  ended: readonly Ended[],
  source: 'api' | 'test' = 'api',
): Promise<string> {
  const recipients = ended.map((_, index) => `u${index}`);
  const campaign = newCampaign({ applicationId, channel: 'SMS', recipients });
  await acceptCampaign(db, campaign);
  await db.sql.query("update campaigns set status = 'sending', source = $2 where id = $1", [
    campaign.campaignId,
    source,
  ]);
  await db.sql.query(
    `insert into campaign_counters (campaign_id, state, reason, shard, n, first_at, last_at)
     values ($1, 'pending', '', 0, $2, now(), now())`,
    [campaign.campaignId, ended.length],
  );
  for (const [index, change] of ended.entries()) {
    const { rows } = await db.sql.query<{ id: string }>(
      `insert into deliveries (campaign_id, chunk_no, application_id, channel, custom_user_id, state, attempts)
       values ($1, 1, $2, 'SMS', $3, 'sending', 1) returning id`,
      [campaign.campaignId, applicationId, `own${index}`],
    );
    const deliveryId = rows[0]?.id ?? '';
    await changeDeliveryStates(db.sql, ['sending'], [{ deliveryId, fence: 0, ...change }]);
  }
  return campaign.campaignId;
}

const times = (count: number, ended: Ended): Ended[] => Array.from({ length: count }, () => ended);

async function readHealth(api: TestApi): Promise<RecentOutcomes> {
  const headers = api.asAdmin;
  const list = await api.request<AnswerOf<typeof listChannelsEndpoint>>('GET', 'channels', {
    headers,
  });
  const one = await api.request<{ health: RecentOutcomes }>('GET', 'channels/SMS', { headers });
  const [listed] = list.body.items.filter(({ channel }) => channel === 'SMS');
  expect(listed?.health).toEqual(one.body.health);
  return one.body.health;
}

const moveBack = ({ db }: TestApi, campaignId: string, by: string) =>
  db.sql.query('update campaign_events set at = at - $2::interval where campaign_id = $1', [
    campaignId,
    by,
  ]);

describe('the health of a channel is what became of its attempts', () => {
  test('none, and those of test sends', async () => {
    await using api = await startTestApi();
    await configureChannel(api.db, api.tenant.applicationId, 'SMS');
    await sendAll(api, times(12, REJECTED), 'test');

    expect(await readHealth(api)).toMatchObject({ state: 'idle', since: null, attempts: 0 });
  });

  test('failing, since the first failure after the last success, also with retries to come', async () => {
    await using api = await startTestApi();
    await configureChannel(api.db, api.tenant.applicationId, 'SMS');
    await sendAll(api, [...times(30, SENT), ...times(3, REJECTED), SENT]);
    const failing = await sendAll(api, [...times(8, UNAVAILABLE), ...times(4, REJECTED)]);

    const health = await readHealth(api);

    const { rows } = await api.db.sql.query<{ at: Date }>(
      "select min(at) as at from campaign_events where campaign_id = $1 and type = 'delivery.retry_wait'",
      [failing],
    );
    expect(health).toMatchObject({
      state: 'failing',
      since: rows[0]?.at.getTime(),
      attempts: 12,
      failed: 12,
      unknown: 0,
      reason: 'provider_unavailable',
    });
    const overview = await api.request<AnswerOf<typeof readOverviewEndpoint>>('GET', 'overview', {
      headers: api.asAdmin,
    });
    expect(overview.body.channels.find(({ channel }) => channel === 'SMS')?.health).toMatchObject({
      state: 'failing',
      attempts: 12,
    });
    expect(overview.body.attention.filter(({ kind }) => kind === 'channel_failing')).toEqual([
      {
        kind: 'channel_failing',
        at: health.since,
        channel: 'SMS',
        count: 12,
        total: 12,
        reason: 'provider_unavailable',
      },
    ]);
  });

  test('a success ends it, and a tenth of failures is said', async () => {
    await using api = await startTestApi();
    await configureChannel(api.db, api.tenant.applicationId, 'SMS');
    await sendAll(api, [...times(5, REJECTED), ...times(17, SENT)]);

    expect(await readHealth(api)).toMatchObject({
      state: 'degraded',
      since: null,
      attempts: 22,
      failed: 5,
      reason: 'provider_rejected',
    });
  });

  test('of what is older than an hour, only the beginning counts', async () => {
    await using api = await startTestApi();
    const { db, tenant } = api;
    await configureChannel(db, tenant.applicationId, 'SMS');
    const old = await sendAll(api, [...times(5, SENT), ...times(40, REJECTED)]);
    await moveBack(api, old, '2 hours');
    await db.sql.query(
      `update campaign_counters set first_at = first_at - interval '2 hours',
         last_at = last_at - interval '2 hours' where campaign_id = $1 and isfinite(last_at)`,
      [old],
    );
    const { rows } = await db.sql.query<{ at: Date }>(
      "select min(first_at) as at from campaign_counters where campaign_id = $1 and state = 'failed'",
      [old],
    );
    expect(await readHealth(api)).toMatchObject({ state: 'idle' });

    await sendAll(api, times(15, REJECTED));

    expect(await readHealth(api)).toMatchObject({
      state: 'failing',
      since: rows[0]?.at.getTime(),
      attempts: 15,
    });
  });

  test('a large campaign counts however many came after it, and one that ended does not', async () => {
    await using api = await startTestApi();
    const { db, tenant } = api;
    await configureChannel(db, tenant.applicationId, 'SMS');
    const large = await sendAll(api, times(15, REJECTED));
    await db.sql.query("update campaigns set lane = 'bulk' where id = $1", [large]);
    await db.sql.query(
      `insert into campaigns (id, application_id, channel, lane, purpose, source, status, message,
         recipients_requested, recipients_unique, created_by, request_id, created_at, expires_at, completed_at)
       select uuidv7(), application_id, channel, 'express', purpose, source, 'completed', message, 1, 1,
         created_by, request_id, created_at, expires_at, now() - interval '2 hours'
       from campaigns, generate_series(1, 2000) where id = $1`,
      [large],
    );

    expect(await readHealth(api)).toMatchObject({ state: 'failing', attempts: 15 });

    await db.sql.query("update campaigns set status = 'canceled' where id = $1", [large]);
    expect(await readHealth(api)).toMatchObject({ state: 'idle' });
  });
});
