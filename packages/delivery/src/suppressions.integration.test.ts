import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Purpose } from '@tidings/contracts/push/purposes';
import { readReachability } from '@tidings/people/reachability';
import {
  unsuppressAddress,
  readSuppressedChannels,
  suppressAddress,
  type Suppression,
} from '@tidings/people/suppressions';
import {
  configureChannel,
  connectTestDatabase,
  createSendingCampaign,
  createTestApplication,
  newCampaign,
  registerUsers,
  expandAll,
} from '@tidings/testing';
import { acceptCampaign } from './accept.ts';
import { claimChunk } from './claims.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const PHONE = '+4915112345001';
let applicationId: string;
let stop: Suppression;
beforeEach(async () => {
  ({ applicationId } = await createTestApplication(db));
  stop = { applicationId, channel: 'SMS', address: PHONE, reason: 'sms_stop' };
  await Promise.all([
    configureChannel(db, applicationId, 'SMS'),
    configureChannel(db, applicationId, 'EMAIL'),
  ]);
  await registerUsers(db, applicationId, {
    ada: { phoneNumber: '0151 12345001', phoneE164: PHONE, email: 'Ada@Example.org' },
    bob: { phoneNumber: '1' },
  });
});

const reasons = async (channel: 'SMS' | 'EMAIL', purpose: Purpose = 'transactional') =>
  (await readReachability(db, { applicationId, purpose, channel, recipients: ['ada', 'bob'] }))
    .reasons;

async function claimOf(
  recipient: string,
  overrides: {
    readonly source?: 'test';
    readonly applicationId?: string;
    readonly purpose?: Purpose;
  } = {},
) {
  const campaign = newCampaign({
    applicationId,
    channel: 'SMS',
    recipients: [recipient],
    message: { body: 'x' },
    ...overrides,
  });
  await acceptCampaign(db, campaign);
  await expandAll(db, campaign.campaignId);
  const [claimed] = await claimChunk(db, {
    campaignId: campaign.campaignId,
    chunkNo: 0,
    owner: 'worker',
    leaseMs: 60_000,
    rowsMax: 1,
  });
  return claimed;
}

describe('a suppressed address', () => {
  test('shows at the claim, in a dry run and at the user; after removal it is as before', async () => {
    await suppressAddress(db.sql, stop);
    await suppressAddress(db.sql, stop);

    expect(await claimOf('ada')).toMatchObject({
      suppression: 'sms_stop',
      profile: { phoneE164: PHONE },
    });
    expect(await reasons('SMS')).toEqual(['sms_stop', 'invalid_address']);

    await unsuppressAddress(db.sql, stop);
    expect(await claimOf('ada')).toMatchObject({ suppression: null });
    expect(await reasons('SMS')).toEqual([null, 'invalid_address']);
  });

  test('holds for a test send to it', async () => {
    await suppressAddress(db.sql, stop);

    expect(await claimOf(PHONE, { source: 'test' })).toMatchObject({ suppression: 'sms_stop' });
    expect(await claimOf('+4915112345009', { source: 'test' })).toMatchObject({
      suppression: null,
    });
  });

  test('of one application or channel is none of another', async () => {
    const other = await createTestApplication(db);
    await suppressAddress(db.sql, { ...stop, applicationId: other.applicationId });
    await suppressAddress(db.sql, { ...stop, channel: 'EMAIL' });

    expect(await claimOf('ada')).toMatchObject({ suppression: null });
  });

  test('keeps its other reasons when one is lifted', async () => {
    await suppressAddress(db.sql, stop);
    await suppressAddress(db.sql, { ...stop, reason: 'suppressed_bounce' });

    await unsuppressAddress(db.sql, stop);

    expect(await claimOf('ada')).toMatchObject({ suppression: 'suppressed_bounce' });
  });

  test('of an e-mail is meant in any letter case', async () => {
    await suppressAddress(db.sql, {
      applicationId,
      channel: 'EMAIL',
      address: 'aDa@example.org',
      reason: 'suppressed_complaint',
    });

    expect(await reasons('EMAIL')).toEqual(['suppressed_complaint', 'no_address']);
  });

  test('for an unsubscription is so for marketing alone; any other reason counts beside it', async () => {
    await suppressAddress(db.sql, { ...stop, reason: 'unsubscribed' });

    expect(await claimOf('ada')).toMatchObject({ suppression: null });
    expect(await claimOf('ada', { purpose: 'marketing' })).toMatchObject({
      suppression: 'unsubscribed',
    });
    expect(await reasons('SMS')).toEqual([null, 'invalid_address']);
    expect(await reasons('SMS', 'marketing')).toEqual(['unsubscribed', 'invalid_address']);

    await suppressAddress(db.sql, stop);
    expect(await claimOf('ada')).toMatchObject({ suppression: 'sms_stop' });
  });

  test('is listed for each channel of a user', async () => {
    await suppressAddress(db.sql, stop);
    const { rows } = await db.sql.query<{ id: string }>(
      `select id from users where application_id = $1 and custom_user_id = 'ada'`,
      [applicationId],
    );

    expect([...(await readSuppressedChannels(db, rows[0]?.id ?? ''))]).toEqual([
      ['SMS', 'sms_stop'],
    ]);
  });
});

test('channels without addresses of that kind are claimed as ever', async () => {
  const campaign = await createSendingCampaign(db);

  expect(
    await claimChunk(db, {
      campaignId: campaign.campaignId,
      chunkNo: 0,
      owner: 'worker',
      leaseMs: 60_000,
      rowsMax: 1,
    }),
  ).toMatchObject([{ suppression: null }]);
});
