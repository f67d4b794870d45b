import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeChannelAccounts } from '@tidings/accounts/channel-settings';
import type { NewCampaign } from '@tidings/delivery/accept';
import { changeDeliveryStates } from '@tidings/delivery/change-states';
import { claimChunk } from '@tidings/delivery/claims';
import { markSending } from '@tidings/delivery/mark-sending';
import { listDeliveries } from '@tidings/campaign-reports/list-deliveries';
import { readCampaign } from '@tidings/campaign-reports/reports';
import {
  configureChannel,
  createOwnDatabase,
  createRecordingLogger,
  createSendingCampaign,
  createTestApplication,
  testSecretBox,
} from '@tidings/testing';
import type { DeliveryToPoll, OutcomePoller } from './channel.ts';
import { pollOutcomes } from './poll-outcomes.ts';
import { createSettingsCache } from './settings-cache.ts';

// Look-ups are for all applications.
const db = await createOwnDatabase();
afterAll(() => db.close());

const PHONE = '+4915112345001';
const unending = new AbortController().signal;
let asked: DeliveryToPoll[];
beforeEach(() => {
  asked = [];
});

async function unknownSms({
  sentBy,
  ...own
}: Partial<NewCampaign> & { readonly sentBy?: string } = {}) {
  const { applicationId } = await createTestApplication(db);
  await configureChannel(db, applicationId, 'SMS');
  const campaign = await createSendingCampaign(db, {
    applicationId,
    channel: 'SMS',
    message: { body: 'Hello' },
    ...own,
  });
  await db.sql.query(
    `update users u set fields = $2, phone_e164 = $3 from deliveries d where d.user_id = u.id and d.campaign_id = $1`,
    [campaign.campaignId, { phoneNumber: PHONE, firstName: 'Ada' }, PHONE],
  );
  const claimed = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: own.templates === undefined ? 0 : -1,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  await markSending(
    db,
    claimed.map((claim) => ({
      ...claim,
      ...(sentBy !== undefined && { sentBy: { account: sentBy, reason: 'order' as const } }),
    })),
    60_000,
  );
  await changeDeliveryStates(
    db.sql,
    ['sending'],
    claimed.map(({ deliveryId, fence }) => ({
      deliveryId,
      fence,
      state: 'unknown',
      reason: 'outcome_unknown',
    })),
  );
  return {
    applicationId,
    read: async () => (await listDeliveries(db, campaign.campaignId, { limit: 1 }))[0],
    counts: async () => (await readCampaign(db, applicationId, campaign.campaignId))?.counts,
  };
}

function outcomePoller(find: OutcomePoller['find']) {
  const { logger, lines } = createRecordingLogger();
  const remembering: OutcomePoller['find'] = (delivery, isKnown) => {
    asked.push(delivery);
    return find(delivery, isKnown);
  };
  const deps = {
    channelName: 'SMS' as const,
    outcomePoller: { afterMs: 0, intervalMs: 0, untilMs: 60_000, find: remembering },
    db,
    cache: createSettingsCache(db, testSecretBox, 'SMS'),
    logger,
  };
  return pollOutcomes(deps, unending).then(() => lines);
}

describe('an outcome that is unknown', () => {
  test('is what the provider says of it', async () => {
    const sms = await unknownSms();

    await outcomePoller(async () => ({
      state: 'delivered',
      providerId: 'SM1',
      providerCode: 'delivered',
    }));

    expect(asked).toMatchObject([{ address: PHONE, message: { body: 'Hello' }, rivals: 0 }]);
    expect(await sms.read()).toMatchObject({
      status: 'delivered',
      reason: null,
      providerCode: 'delivered',
    });
    expect(await sms.counts()).toMatchObject({ total: 1, delivered: 1, unknown: 0 });
  });

  test.each([
    ['the account that sent it', 'second', ['second']],
    ['none if that is gone', 'gone', []],
    ['none if it was sent when the channel had one', undefined, []],
  ])('is looked for at %s', async (_what, sentBy, expected) => {
    const { applicationId } = await unknownSms(sentBy === undefined ? {} : { sentBy });
    const account = (name: string) => ({
      name,
      status: 'ready' as const,
      testedAt: null,
      settings: { accountSid: name },
      secrets: {},
      share: null,
      countries: null,
    });
    await writeChannelAccounts(db, testSecretBox, {
      applicationId,
      channel: 'SMS',
      accounts: [account('first'), account('second')],
    });

    await outcomePoller(async () => null);

    expect(asked.map(({ settings }) => settings['accountSid'])).toEqual(expected);
    await db.sql.query('delete from open_outcomes');
  });

  test('and says that the number does not exist: it is suppressed', async () => {
    const sms = await unknownSms();

    await outcomePoller(async () => ({
      state: 'failed',
      reason: 'invalid_address',
      suppression: 'suppressed_bounce',
      providerId: 'SM2',
      providerCode: '30005',
    }));

    expect(await sms.read()).toMatchObject({ status: 'failed', reason: 'invalid_address' });
    const { rows } = await db.sql.query('select channel, address, reason from suppressions');
    expect(rows).toEqual([{ channel: 'SMS', address: PHONE, reason: 'suppressed_bounce' }]);
  });

  test('of a personalised message is asked with the text for its user', async () => {
    const message = { body: 'Hello {{ user.firstName }}' };
    const sms = await unknownSms({
      message,
      templates: [{ slug: null, version: null, share: 1, message, variants: [] }],
    });

    const lines = await outcomePoller(async () => ({ state: 'sent', providerId: 'SM3' }));

    expect(lines).toEqual([]);
    expect(asked).toMatchObject([{ message: { body: 'Hello Ada' } }]);
    expect(await sms.read()).toMatchObject({ status: 'sent' });
  });

  test('of a message that cannot be rendered any more stays unknown', async () => {
    const message = { body: 'Hello {{ user.lastName }}' };
    const sms = await unknownSms({
      message,
      templates: [{ slug: null, version: null, share: 1, message, variants: [] }],
    });

    const lines = await outcomePoller(async () => ({ state: 'sent', providerId: 'SM4' }));

    expect(lines).toEqual([]);
    expect(asked).toEqual([]);
    expect(await sms.read()).toMatchObject({ status: 'unknown' });
  });

  test('stays unknown when the provider does not know, or cannot be asked: then it is asked again', async () => {
    const sms = await unknownSms();

    await outcomePoller(async () => null);
    const lines = await outcomePoller(() => Promise.reject(new Error('no answer')));

    expect(await sms.read()).toMatchObject({ status: 'unknown', reason: 'outcome_unknown' });
    expect(lines).toMatchObject([{ msg: 'outcome could not be polled, retrying' }]);
    await outcomePoller(async () => ({ state: 'sent' }));
    expect(await sms.read()).toMatchObject({ status: 'sent' });
  });
});
