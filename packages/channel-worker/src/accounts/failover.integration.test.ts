import { afterAll, describe, expect, test } from '@jest/globals';
import { readAccountPauses, resumeAccounts } from '@tidings/channel-breakers/account-pauses';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { readChannelPause } from '@tidings/delivery/channel-pauses';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { connectTestDatabase, createSendingCampaign } from '@tidings/testing';
import type { SendResult } from '../channel.ts';
import { sendChunk } from '../send-chunk.ts';
import {
  countBy,
  createAccountsSubject,
  DOWN,
  groupsIn,
  SENT,
  unending,
  WRONG,
} from '../testing/channel-accounts.ts';
import { testWorker } from '../testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const groupsOf = groupsIn(db);
const createSubject = (options: Parameters<typeof createAccountsSubject>[1] = {}) =>
  createAccountsSubject(db, options);

describe('an account that does not accept', () => {
  test('is passed over at once: the other one sends all, each message once', async () => {
    const { campaign, answers, sendOnce, channel, asked, deliveries } = await createSubject();
    answers['first'] = DOWN;

    // The rows that the first one refused are due at once.
    await sendOnce();
    await sendOnce();

    expect(await groupsOf(campaign)).toEqual({ sent: 20 });
    const bySecond = channel.calls.filter(({ settings }) => settings['host'] === 'second');
    expect(new Set(bySecond.map(({ customUserId }) => customUserId)).size).toBe(20);
    expect(asked()).toMatchObject({ second: 20 });
    const records = await deliveries();
    expect(countBy(records.map(({ account }) => account))).toEqual({ second: 20 });
    // Ten failures open the breaker: what came after it was not tried there.
    expect(asked()['first']).toBeLessThan(20);
    expect(
      records.every(({ accountReason }) =>
        ['not_accepted', 'breaker_open'].includes(String(accountReason)),
      ),
    ).toBe(true);
  });

  test.each<[string, SendResult, number]>([
    ['rate limited', { status: 'rate_limited', retryAfterMs: 60_000 }, 1],
    ['with wrong settings', WRONG, 1],
    ['with wrong settings for this recipient', { ...WRONG, isOfRecipient: true }, 1],
    ['not begun', { status: 'not_sent' }, 1],
  ])('%s: the message goes on', async (_name, answer, sentBySecond) => {
    const { campaign, answers, sendOnce, asked, deliveries } = await createSubject({ count: 1 });
    answers['first'] = answer;

    await sendOnce();
    await sendOnce();

    expect(await groupsOf(campaign)).toEqual({ sent: 1 });
    expect(asked()).toEqual({ first: 1, second: sentBySecond });
    expect(await deliveries()).toMatchObject([
      { account: 'second', accountReason: 'not_accepted' },
    ]);
  });

  test.each<[string, SendResult, string]>([
    ['an unknown outcome', { status: 'unknown' }, 'unknown'],
    [
      'a message that can never be delivered',
      { status: 'permanent', reason: 'provider_rejected' },
      'failed',
    ],
    [
      'an address that cannot be reached',
      { status: 'invalid_address', reason: 'invalid_address' },
      'failed',
    ],
  ])('%s stays with its account', async (_name, answer, state) => {
    const { campaign, answers, sendOnce, asked, deliveries } = await createSubject({ count: 1 });
    answers['first'] = answer;

    await sendOnce();
    await sendOnce();

    expect(await groupsOf(campaign)).toEqual({ [state]: 1 });
    expect(asked()).toEqual({ first: 1 });
    expect(await deliveries()).toMatchObject([{ account: 'first', accountReason: 'order' }]);
  });

  test('an unknown outcome that is repeated on request is repeated by the same account', async () => {
    const { campaign, applicationId, answers, sendOnce, asked } = await createSubject({ count: 1 });
    await db.sql.query(
      `update applications set settings = '{"resendOnUnknown": {"EMAIL": true}}' where id = $1`,
      [applicationId],
    );
    answers['first'] = { status: 'unknown' };
    await sendOnce();
    expect(await groupsOf(campaign)).toEqual({ pending: 1 });
    await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);

    await sendOnce();

    expect(asked()).toEqual({ first: 2 });
  });

  test('no account is asked in circles: after the last one the message waits', async () => {
    const { answers, sendOnce, asked, deliveries } = await createSubject({ count: 1 });
    answers['first'] = answers['second'] = DOWN;

    for (let round = 0; round < 5; round += 1) await sendOnce();

    expect(asked()).toEqual({ first: 1, second: 1 });
    expect(await deliveries()).toMatchObject([{ status: 'retry_wait', attempts: 2 }]);
  });
});

describe('wrong settings', () => {
  test('pause their account; the channel only with the last one', async () => {
    const { campaign, answers, sendOnce, settings, worker } = await createSubject();
    answers['first'] = WRONG;

    await sendOnce();
    await sendOnce();
    expect(await groupsOf(campaign)).toEqual({ sent: 20 });
    expect([...(await readAccountPauses(db.sql, await settings())).keys()]).toEqual(['first']);
    expect(await readChannelPause(db.sql, await settings())).toBeNull();

    const other = await createSendingCampaign(db, {
      applicationId: campaign.applicationId,
      count: 5,
    });
    answers['second'] = WRONG;
    await sendChunk(worker, { campaignId: other.campaignId, chunkNo: 0 }, unending);

    expect((await readAccountPauses(db.sql, await settings())).size).toBe(2);
    expect(await readChannelPause(db.sql, await settings())).toMatchObject({
      reason: 'provider_auth',
    });
    expect(await groupsOf(other)).toEqual({ pending: 5 });
  });

  test('of an account are known to every worker, and the account sends again when it is resumed', async () => {
    const { campaign, answers, sendOnce, settings, channel, deliveries } = await createSubject({
      count: 5,
    });
    answers['first'] = WRONG;
    await sendOnce();
    answers['first'] = SENT;
    channel.calls.length = 0;
    const next = await createSendingCampaign(db, {
      applicationId: campaign.applicationId,
      count: 5,
    });
    const another = testWorker(db, channel);

    await sendChunk(another, { campaignId: next.campaignId, chunkNo: 0 }, unending);

    expect(countBy(channel.calls.map((call) => String(call.settings['host'])))).toEqual({
      second: 5,
    });
    expect(await listDeliveries(db, next.campaignId, { limit: 1 })).toMatchObject([
      { account: 'second', accountReason: 'paused' },
    ]);

    await resumeAccounts(db.sql, { ...(await settings()), account: 'first' });
    const third = await createSendingCampaign(db, {
      applicationId: campaign.applicationId,
      count: 1,
    });
    await sendChunk(
      testWorker(db, channel),
      { campaignId: third.campaignId, chunkNo: 0 },
      unending,
    );
    expect(await listDeliveries(db, third.campaignId, { limit: 1 })).toMatchObject([
      { account: 'first', accountReason: 'order' },
    ]);
    expect(await deliveries()).toHaveLength(5);
  });
});

test('accounts send by their own settings and secrets, and those of the channel', async () => {
  const { sendOnce, channel } = await createSubject({
    count: 40,
    accounts: { first: { share: 1 }, second: { share: 1 } },
  });

  await sendOnce();

  const ways = new Map(
    channel.calls.map(({ settings, secrets, accountKey }) => [
      accountKey.split(':')[1],
      { settings, secrets },
    ]),
  );
  const shared = { fromAddress: 'shop@example.com' };
  expect(Object.fromEntries(ways)).toEqual({
    first: {
      settings: { host: 'first', ...shared },
      secrets: { password: 'of first', bounceSecret: 'of the channel' },
    },
    second: {
      settings: { host: 'second', ...shared },
      secrets: { password: 'of second', bounceSecret: 'of the channel' },
    },
  });
});

test('a test send goes by the account it is for, ready or not, and moves to no other', async () => {
  const { campaign, answers, sendOnce, asked } = await createSubject({
    count: 1,
    accounts: { first: {}, second: { isUntested: true } },
    account: 'second',
  });
  answers['second'] = DOWN;

  await sendOnce();
  await sendOnce();

  expect(asked()).toEqual({ second: 1 });
  expect(await groupsOf(campaign)).toEqual({ failed: 1 });
});

test('an account that no test send has proved sends nothing while another is ready', async () => {
  const { campaign, answers, sendOnce, asked } = await createSubject({
    count: 5,
    accounts: { untested: { isUntested: true }, ready: {} },
  });

  await sendOnce();

  expect(asked()).toEqual({ ready: 5 });
  expect(await groupsOf(campaign)).toEqual({ sent: 5 });
  expect(answers).toEqual({});
});

test('the counters by account are what the rows say, through every change', async () => {
  const { campaign, answers, sendOnce, deliveries } = await createSubject({
    count: 30,
    accounts: { first: { share: 1 }, second: { share: 1 } },
  });
  answers['first'] = { status: 'unknown' };
  const counted = async () => {
    const { rows } = await db.sql.query<{ key: string; n: number }>(
      `select account || ' ' || state as key, sum(n)::int as n from campaign_account_counters
       where campaign_id = $1 group by 1 having sum(n) <> 0`,
      [campaign.campaignId],
    );
    return Object.fromEntries(rows.map(({ key, n }) => [key, n]));
  };
  const ofRows = async () =>
    countBy((await deliveries()).map(({ account, status }) => `${account} ${status}`));

  await sendOnce();

  expect(Object.keys(await counted()).toSorted()).toEqual(['first unknown', 'second sent']);
  expect(await counted()).toEqual(await ofRows());

  const [unknown, ...rest] = (await deliveries()).filter(({ status }) => status === 'unknown');
  const sent = (await deliveries()).find(({ status }) => status === 'sent');
  if (unknown === undefined || sent === undefined) throw new Error('the shares sent nothing');
  await changeDeliveryStates(
    db.sql,
    ['unknown', 'sent'],
    [
      { deliveryId: unknown.deliveryId, fence: null, state: 'delivered' },
      { deliveryId: sent.deliveryId, fence: null, state: 'failed', reason: 'invalid_address' },
    ],
  );

  expect(await counted()).toEqual(await ofRows());
  expect((await counted())['first unknown']).toBe(rest.length);

  // Begun anew, a delivery belongs to no account.
  await changeDeliveryStates(
    db.sql,
    ['failed'],
    [{ deliveryId: sent.deliveryId, fence: null, state: 'pending', isFresh: true }],
  );
  const { 'null pending': begunAnew, ...others } = await ofRows();
  expect(begunAnew).toBe(1);
  expect(await counted()).toEqual(others);
});
