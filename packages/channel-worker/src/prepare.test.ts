import { describe, expect, test } from '@jest/globals';
import type { ChannelSettings } from '@tidings/accounts/channel-settings';
import type { ClaimedDelivery } from '@tidings/delivery/claims';
import { narrowToAccount, outgoing, prepareDeliveries, profileOf } from './prepare.ts';

const settings: ChannelSettings = {
  applicationId: 'a',
  channel: 'EMAIL',
  name: 'main',
  share: null,
  countries: null,
  others: [],
  status: 'ready',
  version: 3,
  settings: { host: 'smtp.example' },
  secrets: { password: 'secret' },
  testedAt: null,
};

const sender = { account: settings, version: settings.version, isOneOfSeveral: false };

function claimed(overrides: Partial<ClaimedDelivery> = {}): ClaimedDelivery {
  return {
    deliveryId: 'd',
    fence: 7,
    customUserId: 'ada',
    serviceUserId: null,
    attempts: 0,
    ageMs: 0,
    testAddress: null,
    profile: { email: 'ada@example.org' },
    ambiguousAttempts: 0,
    timeZone: null,
    suppression: null,
    settingsVersion: 3,
    ...overrides,
  };
}

describe('of a claimed address', () => {
  const device = { deviceId: 'phone', address: 'token' };
  const push = (overrides: Partial<ClaimedDelivery>) =>
    claimed({ addressNo: 2, device, profile: {}, ...overrides });

  test('the device says where it is reached', () => {
    const delivery = push({});
    const { ready } = prepareDeliveries('APP_PUSH', [delivery], settings);

    expect(ready).toEqual([{ delivery, address: 'token' }]);
    const campaign = {
      campaignId: 'c',
      applicationId: 'a',
      purpose: 'transactional',
      lane: 'express',
      channel: 'APP_PUSH',
      message: {},
      templates: null,
      trial: null,
      account: null,
      defaultSubject: null,
      isTracked: false,
      isKept: true,
      isOfAutomation: false,
      isHeard: false,
      expiresAt: 1,
      isTest: false,
      recheck: null,
    } as const;
    expect(
      outgoing({ delivery, address: 'token' }, { campaign, sender }, () => true),
    ).toMatchObject({ address: 'token', deviceId: 'phone', fence: 7 });
  });

  test('a test send goes to its own address, without a device', () => {
    const delivery = push({ testAddress: 'a token', device: { deviceId: null, address: null } });

    expect(prepareDeliveries('APP_PUSH', [delivery], settings).ready).toEqual([
      { delivery, address: 'a token' },
    ]);
  });

  test.each([
    ['no_subscription', { deviceId: null, address: null }],
    ['subscription_gone', { deviceId: 'phone', address: null }],
  ] as const)('it fails %s, that address alone, where the device is %j', (reason, gone) => {
    expect(prepareDeliveries('APP_PUSH', [push({ device: gone })], settings).settled).toEqual([
      { deliveryId: 'd', addressNo: 2, fence: 7, state: 'failed', reason },
    ]);
  });
});

describe('a claimed delivery is ready to be sent, or settled without an attempt', () => {
  test('with an address it is ready', () => {
    expect(prepareDeliveries('EMAIL', [claimed()], settings)).toEqual({
      ready: [{ delivery: claimed(), address: 'ada@example.org' }],
      settled: [],
    });
  });

  test.each([
    ['no_address', {}],
    ['no_address', { email: '' }],
    ['no_address', { email: null }],
    ['no_address', { email: 5 }],
    ['hashed_only', { hashedEmail: 'abc' }],
    ['invalid_address', { email: 'ada' }],
    ['invalid_address', { email: 'a@b.example, evil@x.example' }],
    ['invalid_address', { email: 'a@b.example\r\nBcc: evil@x.example' }],
  ])('%s: %j', (reason, profile) => {
    expect(prepareDeliveries('EMAIL', [claimed({ profile })], settings)).toEqual({
      ready: [],
      settled: [{ deliveryId: 'd', fence: 7, state: 'failed', reason }],
    });
  });

  test.each([
    ['no_address', {}],
    ['hashed_only', { hashedPhoneNumber: 'abc' }],
    ['invalid_address', { phoneNumber: '12' }],
    ['invalid_address', { phoneNumber: '12', phoneE164: null }],
  ])('SMS %s: %j', (reason, profile) => {
    expect(prepareDeliveries('SMS', [claimed({ profile })], settings).settled).toMatchObject([
      { state: 'failed', reason },
    ]);
  });

  test('SMS goes to the number in E.164, not to the spelling in the profile', () => {
    const profile = { phoneNumber: '0171 2345678', phoneE164: '+491712345678' };

    expect(prepareDeliveries('SMS', [claimed({ profile })], settings).ready).toMatchObject([
      { address: '+491712345678' },
    ]);
  });

  test('a suppressed address fails with its reason; what is wrong with the address itself comes first', () => {
    expect(
      prepareDeliveries(
        'EMAIL',
        [claimed({ suppression: 'sms_stop' }), claimed({ suppression: 'sms_stop', profile: {} })],
        settings,
      ),
    ).toMatchObject({
      ready: [],
      settled: [{ reason: 'sms_stop' }, { reason: 'no_address' }],
    });
  });

  test('a test send goes to its address, on every channel', () => {
    const test = claimed({ testAddress: 'me@example.org', profile: {} });

    expect(prepareDeliveries('EMAIL', [test], settings).ready).toEqual([
      { delivery: test, address: 'me@example.org' },
    ]);
    expect(
      prepareDeliveries('SMS', [claimed({ testAddress: '+15550100' })], settings).ready,
    ).toMatchObject([{ address: '+15550100' }]);
  });

  test('without settings it fails', () => {
    expect(prepareDeliveries('EMAIL', [claimed()], null).settled).toMatchObject([
      { state: 'failed', reason: 'channel_not_configured' },
    ]);
  });

  test('secrets that cannot be decrypted keep it waiting; a test send fails at once', () => {
    const sealed = { ...settings, secrets: null };

    expect(
      prepareDeliveries('EMAIL', [claimed(), claimed({ testAddress: 'me@example.org' })], sealed),
    ).toMatchObject({
      ready: [],
      settled: [
        { state: 'retry_wait', reason: 'provider_auth', delayMs: 60_000 },
        { state: 'failed', reason: 'provider_auth' },
      ],
    });
  });
});

test.each([
  ['SMS', { phoneNumber: 'to', phoneE164: 'to' }],
  ['EMAIL', { email: 'to' }],
  ['WEB_PUSH', {}],
  ['APP_PUSH', {}],
  ['WEB_HOOK', {}],
  ['IN_APP', {}],
  ['ON_SITE', {}],
] as const)(
  '%s: the address of a test send stands in its own fields alone: %j',
  (channel, profile) => {
    expect(profileOf(channel, { testAddress: 'to', profile: { email: 'of a user' } })).toEqual(
      profile,
    );
  },
);

test('the channel gets the delivery with its message, settings and secrets', () => {
  const campaign = {
    campaignId: 'c',
    applicationId: 'a',
    lane: 'express',
    purpose: 'transactional',
    channel: 'EMAIL',
    message: { body: 'Text' },
    templates: null,
    trial: null,
    account: null,
    defaultSubject: 'Shop',
    isTest: false,
    recheck: null,
    isTracked: true,
    isKept: true,
    isOfAutomation: false,
    isHeard: false,
    expiresAt: 5,
  } as const;
  const mayBegin = () => true;

  expect(
    outgoing({ delivery: claimed(), address: 'ada@example.org' }, { campaign, sender }, mayBegin),
  ).toEqual({
    deliveryId: 'd',
    fence: 7,
    campaignId: 'c',
    applicationId: 'a',
    customUserId: 'ada',
    serviceUserId: null,
    address: 'ada@example.org',
    message: { body: 'Text' },
    purpose: 'transactional',
    isTracked: true,
    defaultSubject: 'Shop',
    expiresAt: 5,
    settings: { host: 'smtp.example' },
    secrets: { password: 'secret' },
    accountKey: 'a',
    settingsKey: 'a:3',
    mayBegin,
  });
});

test('of an account whose secrets cannot be read nothing is ready, also if another has readable ones', () => {
  const unreadable = { ...settings, name: 'second', secrets: null };
  const two = { ...settings, others: [unreadable] };
  const toTest = claimed({ testAddress: 'me@example.org' });

  expect(prepareDeliveries('EMAIL', [toTest], narrowToAccount(two, 'second'))).toMatchObject({
    ready: [],
    settled: [{ state: 'failed', reason: 'provider_auth' }],
  });
  for (const name of ['main', null, 'gone'])
    expect(prepareDeliveries('EMAIL', [toTest], narrowToAccount(two, name)).ready).toHaveLength(1);
});
