import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { writeChannelSettings } from '@tidings/accounts/channel-settings';
import {
  configureChannel,
  connectTestDatabase,
  createTestApplication,
  giveDevices,
  registerUsers,
  someIds,
  testSecretBox,
} from '@tidings/testing';
import { readReachability } from './reachability.ts';
import { suppressAddress } from './suppressions.ts';

const db = connectTestDatabase();
afterAll(() => db.close());

const STOPPED = '+4915112345001';
let applicationId: string;
beforeEach(async () => {
  ({ applicationId } = await createTestApplication(db));
  await registerUsers(db, applicationId, {
    stopped: { phoneNumber: '0151 12345001', phoneE164: STOPPED },
    reached: { phoneNumber: '0151 12345002', phoneE164: '+4915112345002' },
    nonsense: { phoneNumber: 'call me' },
    hashed: { hashedPhoneNumber: 'a'.repeat(64) },
    none: {},
  });
  await suppressAddress(db.sql, {
    applicationId,
    channel: 'SMS',
    address: STOPPED,
    reason: 'sms_stop',
  });
});

const sendUntested = () =>
  db.sql.query(
    `update applications set settings = settings || '{"sendUntested": true}' where id = $1`,
    [applicationId],
  );
const withoutTest = () =>
  writeChannelSettings(db, testSecretBox, {
    applicationId,
    channel: 'SMS',
    settings: {},
    secrets: {},
  });

describe('reachability of recipients', () => {
  test('is none through a channel that is not configured or not tested', async () => {
    const question = {
      applicationId,
      channel: 'SMS',
      purpose: 'transactional',
      recipients: ['reached', 'stopped', 'unknown'],
    } as const;
    const unreachable = {
      isUntested: false,
      reasons: ['channel_not_configured', 'channel_not_configured', 'unknown_user'],
    };

    expect(await readReachability(db, question)).toEqual(unreachable);
    await withoutTest();
    expect(await readReachability(db, question)).toEqual(unreachable);
  });

  test('is equal for the first and last of many recipients, also through an untested channel that can send', async () => {
    await withoutTest();
    await sendUntested();
    const known = ['reached', 'stopped', 'nonsense', 'hashed', 'none'];
    const reasons = [null, 'sms_stop', 'invalid_address', 'hashed_only', 'no_address'];
    const unknownIds = someIds(25_000);

    const found = await readReachability(db, {
      applicationId,
      purpose: 'transactional',
      channel: 'SMS',
      recipients: [...known, ...unknownIds, ...known],
    });

    expect(found.isUntested).toBe(true);
    expect(found.reasons.slice(0, known.length)).toEqual(reasons);
    expect(found.reasons.slice(-known.length)).toEqual(reasons);
    expect(new Set(found.reasons.slice(known.length, -known.length))).toEqual(
      new Set(['unknown_user']),
    );
  });

  test('by push requires a reachable device of that kind', async () => {
    for (const channel of ['WEB_PUSH', 'APP_PUSH'] as const)
      await configureChannel(db, applicationId, channel);
    const [browser, gone, phone] = [1, 2, 3].map((name) => `${applicationId} ${name}`) as [
      string,
      string,
      string,
    ];
    await giveDevices(db, {
      applicationId,
      devices: { reached: [browser, gone], stopped: [`${gone} too`] },
    });
    await giveDevices(db, { applicationId, devices: { none: [phone] }, channel: 'APP_PUSH' });
    await db.sql.query(
      'update devices set address = null, address_hash = null where address like $1',
      [`${gone}%`],
    );
    const reasons = async (channel: 'WEB_PUSH' | 'APP_PUSH') =>
      (
        await readReachability(db, {
          applicationId,
          channel,
          purpose: 'transactional',
          recipients: ['reached', 'stopped', 'none', 'unknown'],
        })
      ).reasons;

    expect(await reasons('WEB_PUSH')).toEqual([
      null,
      'no_subscription',
      'no_subscription',
      'unknown_user',
    ]);
    expect(await reasons('APP_PUSH')).toEqual([
      'no_subscription',
      'no_subscription',
      null,
      'unknown_user',
    ]);
  });
});
