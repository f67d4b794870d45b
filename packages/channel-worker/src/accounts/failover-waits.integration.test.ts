import { afterAll, describe, expect, test } from '@jest/globals';
import { readAccountPauses, resumeAccounts } from '@tidings/channel-breakers/account-pauses';
import { readChannelPause } from '@tidings/delivery/channel-pauses';
import { connectTestDatabase, eventually } from '@tidings/testing';
import type { SendResult } from '../channel.ts';
import { sendChunk } from '../send-chunk.ts';
import {
  createAccountsSubject,
  DOWN,
  groupsIn,
  SENT,
  unending,
  WRONG,
} from '../testing/channel-accounts.ts';
import { scriptedChannel } from '../testing/scripted-channel.ts';
import { testWorker } from '../testing/test-worker.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const groupsOf = groupsIn(db);
const createSubject = (options: Parameters<typeof createAccountsSubject>[1] = {}) =>
  createAccountsSubject(db, options);

describe('rows that no account may send now', () => {
  test('stay untouched while the only account that may send is down, and others are no help', async () => {
    const { campaign, answers, sendOnce, asked } = await createSubject({
      accounts: { first: {}, second: { isUntested: true } },
    });
    answers['first'] = DOWN;
    await sendOnce();
    const before = asked();
    const fences = async () =>
      (
        await db.sql.query('select id, fence from deliveries where campaign_id = $1 order by id', [
          campaign.campaignId,
        ])
      ).rows;
    await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
      campaign.campaignId,
    ]);
    const untouched = await fences();

    await sendOnce();

    expect(asked()).toEqual(before);
    expect(await fences()).toEqual(untouched);
  });

  test('wait some seconds for a pause that a test send may have ended', async () => {
    const { campaign, answers, sendOnce, settings, asked } = await createSubject({ count: 3 });
    for (const account of ['first', 'second'])
      await db.sql.query(
        `insert into account_pauses (application_id, channel, account, version, reason)
         values ($1, 'EMAIL', $2, 1, 'provider_auth')`,
        [campaign.applicationId, account],
      );
    await sendOnce();
    expect(asked()).toEqual({});
    expect(answers).toEqual({});
    await resumeAccounts(db.sql, await settings());

    const { rows } = await db.sql.query<{ seconds: number }>(
      'select max(extract(epoch from due_at - now()))::float8 as seconds from campaign_chunks where campaign_id = $1',
      [campaign.campaignId],
    );
    expect(rows[0]?.seconds).toBeLessThan(6);
  });

  test('are due again before a send of the chunk ends that hangs', async () => {
    const { promise: hanging, resolve: answer } = Promise.withResolvers<SendResult>();
    const { campaign } = await createSubject({ accounts: { first: {} } });
    let isFirst = true;
    const channel = scriptedChannel(() => {
      if (!isFirst) return DOWN;
      isFirst = false;
      return hanging;
    });
    let heldUp = 0;
    const sending = sendChunk(
      testWorker(db, channel, { concurrency: 2, claimRowsMax: 20, slotWaitMs: 10 }),
      {
        campaignId: campaign.campaignId,
        chunkNo: 0,
        onAllClaimed: () => {
          heldUp += 1;
        },
      },
      unending,
    );
    await eventually(() => expect(heldUp).toBeGreaterThan(0));
    answer(SENT);
    await sending;
    expect(await groupsOf(campaign)).toEqual({ pending: 19, sent: 1 });
  });
});

describe('an unknown outcome that is to be repeated', () => {
  /** One delivery whose first attempt by `first` has an unknown outcome, due again. */
  async function createAmbiguous() {
    const subject = await createSubject({ count: 1 });
    await db.sql.query(
      `update applications set settings = '{"resendOnUnknown": {"EMAIL": true}}' where id = $1`,
      [subject.applicationId],
    );
    subject.answers['first'] = { status: 'unknown' };
    await subject.sendOnce();
    await db.sql.query('update deliveries set next_at = now() where campaign_id = $1', [
      subject.campaign.campaignId,
    ]);
    return subject;
  }

  test('stays with its account when that has to be tested again', async () => {
    const { applicationId, channel, campaign, answers, asked } = await createAmbiguous();
    await db.sql.query(
      "update channel_settings set status = 'untested' where application_id = $1",
      [applicationId],
    );
    answers['first'] = SENT;

    await sendChunk(
      testWorker(db, channel),
      { campaignId: campaign.campaignId, chunkNo: 0 },
      unending,
    );

    expect(asked()).toEqual({ first: 2 });
  });

  test('is not repeated when its account is gone', async () => {
    const { applicationId, channel, campaign, asked } = await createAmbiguous();
    await db.sql.query(
      "update channel_settings set account_name = 'another' where application_id = $1",
      [applicationId],
    );

    await sendChunk(
      testWorker(db, channel),
      { campaignId: campaign.campaignId, chunkNo: 0 },
      unending,
    );

    expect(asked()).toEqual({ first: 1 });
    expect(await groupsOf(campaign)).toEqual({ unknown: 1 });
  });
});

test('a message whose time for retries is over still goes by the next account', async () => {
  const { campaign, answers, sendOnce, asked } = await createSubject({ count: 1 });
  await db.sql.query(
    "update deliveries set attempts = 20, created_at = now() - interval '3 days' where campaign_id = $1",
    [campaign.campaignId],
  );
  answers['first'] = DOWN;

  await sendOnce();
  await sendOnce();

  expect(asked()).toEqual({ first: 1, second: 1 });
  expect(await groupsOf(campaign)).toEqual({ sent: 1 });
});

test('an account that became ready meanwhile keeps the channel from being paused', async () => {
  const { answers, sendOnce, settings, applicationId, worker, campaign } = await createSubject({
    count: 1,
    accounts: { first: {}, second: { isUntested: true } },
  });
  await worker.cache.settings(applicationId, 1);
  await db.sql.query("update channel_accounts set status = 'ready' where application_id = $1", [
    applicationId,
  ]);
  answers['first'] = WRONG;

  await sendOnce();

  expect(await readChannelPause(db.sql, await settings())).toBeNull();
  expect((await readAccountPauses(db.sql, await settings())).size).toBe(1);
  expect(await groupsOf(campaign)).toEqual({ pending: 1 });
});

test('settings of the version before have one account, whatever else is stored', async () => {
  const { applicationId, sendOnce, settings, asked } = await createSubject({ count: 1 });
  // As 0.1.0 replaces them.
  await db.sql.query(
    `update channel_settings set settings = '{"host": "flat"}', version = version + 1 where application_id = $1`,
    [applicationId],
  );

  await sendOnce();

  expect((await settings()).others).toEqual([]);
  expect(asked()).toEqual({ flat: 1 });
});
