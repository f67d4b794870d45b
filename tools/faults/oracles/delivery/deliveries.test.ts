import { describe, expect, test } from '@jest/globals';
import type { DeliveryState } from '@tidings/contracts/push/deliveries';
import type { SentPush } from '../../load/delivery/pushes.ts';
import type { SentChannel } from '../../rigs/delivery-proxies.ts';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import { checkDeliveries, type DeliveryFindings } from './deliveries.ts';
import type { StoredDeliveries, StoredDelivery } from './stored-deliveries.ts';

const push = (
  channel: SentChannel,
  recipients: readonly string[],
  campaignId: string | undefined = 'c1',
): SentPush => ({
  application: 0,
  channel,
  key: 'push',
  recipients,
  body: '',
  attempts:
    campaignId === undefined
      ? [{ sentAt: 1, answeredAt: 2, status: 503 }]
      : [{ sentAt: 1, answeredAt: 2, status: 200, campaignId }],
});
const delivery = (
  channel: SentChannel,
  customUserId: string,
  state: DeliveryState,
  own: Partial<StoredDelivery> = {},
): StoredDelivery => ({
  deliveryId: `d-${customUserId}`,
  campaignId: 'c1',
  channel,
  customUserId,
  state,
  reason: null,
  providerCode: null,
  ...own,
});
const message = (
  channel: SentChannel,
  customUserId: string,
  own: Partial<AcceptedMessage> = {},
): AcceptedMessage => ({
  channel,
  to: `address of ${customUserId}`,
  campaignId: 'c1',
  deliveryId: `d-${customUserId}`,
  hookId: channel === 'WEB_HOOK' ? `d-${customUserId}` : null,
  account: null,
  receivedAt: 1,
  ...own,
});
const CAMPAIGN = { campaignId: 'c1', status: 'completed', isTest: false };
const stored = (
  deliveries: readonly StoredDelivery[],
  campaigns: StoredDeliveries['campaigns'] = [CAMPAIGN],
): StoredDeliveries => ({ campaigns, deliveries });

function check(
  pushes: readonly SentPush[],
  found: StoredDeliveries,
  accepted: readonly AcceptedMessage[],
  canceled: readonly string[] = [],
): DeliveryFindings {
  return checkDeliveries(
    pushes,
    { ...found, accepted },
    { canceled: new Set(canceled), addressOf: (_, customUserId) => `address of ${customUserId}` },
  );
}

const NOTHING = { lost: [], twice: [], untrue: [], unresolved: [], reachedTwice: 0 };

describe('nothing is found', () => {
  test.each<[string, SentChannel, DeliveryState, number]>([
    ['an e-mail that the server accepted', 'EMAIL', 'sent', 1],
    ['an SMS that is delivered', 'SMS', 'delivered', 1],
    ['an e-mail with unknown outcome that arrived', 'EMAIL', 'unknown', 1],
    ['an e-mail with unknown outcome that did not arrive', 'EMAIL', 'unknown', 0],
    ['an SMS with unknown outcome that did not arrive', 'SMS', 'unknown', 0],
    ['a hook that came three times by one id', 'WEB_HOOK', 'sent', 3],
  ])('wrong with %s', (_, channel, state, messages) => {
    expect(
      check(
        [push(channel, ['ada'])],
        stored([delivery(channel, 'ada', state)]),
        Array.from({ length: messages }, () => message(channel, 'ada')),
      ),
    ).toMatchObject(NOTHING);
  });

  test('wrong with a canceled campaign that is partly sent', () => {
    const found = stored([delivery('SMS', 'ada', 'sent'), delivery('SMS', 'bob', 'canceled')]);

    expect(
      check([push('SMS', ['ada', 'bob'])], found, [message('SMS', 'ada')], ['c1']),
    ).toMatchObject(NOTHING);
  });

  test('wrong with a campaign whose caller got no response', () => {
    expect(
      check([push('EMAIL', ['ada'], undefined)], stored([delivery('EMAIL', 'ada', 'sent')]), [
        message('EMAIL', 'ada'),
      ]),
    ).toMatchObject(NOTHING);
  });

  test('wrong with test sends, which are not pushes', () => {
    expect(
      check([], stored([], [{ ...CAMPAIGN, isTest: true }]), [
        message('EMAIL', 'ada'),
        message('EMAIL', 'ada'),
      ]),
    ).toMatchObject(NOTHING);
  });
});

describe('lost is', () => {
  test('a recipient without a delivery', () => {
    expect(
      check([push('EMAIL', ['ada', 'bob'])], stored([delivery('EMAIL', 'ada', 'sent')]), [
        message('EMAIL', 'ada'),
      ]).lost,
    ).toEqual(['push: no delivery to bob']);
  });

  test.each<DeliveryState>([
    'pending',
    'claimed',
    'sending',
    'retry_wait',
    'failed',
    'expired',
    'canceled',
  ])('a delivery that is %s at the end', (state) => {
    expect(
      check([push('EMAIL', ['ada'])], stored([delivery('EMAIL', 'ada', state)]), []).lost,
    ).toHaveLength(1);
  });
});

describe('twice is', () => {
  test.each<SentChannel>(['EMAIL', 'SMS'])(
    'a second message by %s, also of one delivery',
    (channel) => {
      const findings = check([push(channel, ['ada'])], stored([delivery(channel, 'ada', 'sent')]), [
        message(channel, 'ada'),
        message(channel, 'ada'),
      ]);

      expect(findings.twice).toHaveLength(1);
      expect(findings.reachedTwice).toBe(1);
    },
  );

  test('a second message of a campaign whose caller got no response', () => {
    expect(
      check([push('SMS', ['ada'], undefined)], stored([delivery('SMS', 'ada', 'sent')]), [
        message('SMS', 'ada'),
        message('SMS', 'ada'),
      ]).twice,
    ).toHaveLength(1);
  });

  test('a repeated hook with another id', () => {
    const found = stored([delivery('WEB_HOOK', 'ada', 'sent')]);

    expect(
      check([push('WEB_HOOK', ['ada'])], found, [
        message('WEB_HOOK', 'ada'),
        message('WEB_HOOK', 'ada', { hookId: 'other' }),
      ]).twice,
    ).toHaveLength(1);
    expect(
      check([push('WEB_HOOK', ['ada'])], found, [
        message('WEB_HOOK', 'ada'),
        message('WEB_HOOK', 'ada', { deliveryId: 'd2', hookId: 'd2' }),
      ]).twice.length,
    ).toBeGreaterThan(0);
  });

  test('a second delivery to one recipient', () => {
    const found = stored([
      delivery('EMAIL', 'ada', 'sent'),
      delivery('EMAIL', 'ada', 'unknown', { deliveryId: 'd2' }),
    ]);

    expect(check([push('EMAIL', ['ada'])], found, [message('EMAIL', 'ada')]).twice).toHaveLength(1);
  });

  test('a second campaign of a push', () => {
    const found = stored(
      [delivery('EMAIL', 'ada', 'sent')],
      [CAMPAIGN, { ...CAMPAIGN, campaignId: 'c2' }],
    );

    expect(check([push('EMAIL', ['ada'])], found, [message('EMAIL', 'ada')]).twice).toHaveLength(1);
  });
});

describe('untrue is', () => {
  test.each<[string, StoredDelivery, readonly AcceptedMessage[]]>([
    ['a success that no provider accepted', delivery('EMAIL', 'ada', 'sent'), []],
    ['a delivery to another user', delivery('EMAIL', 'eve', 'sent'), [message('EMAIL', 'eve')]],
    [
      'a message at another address',
      delivery('EMAIL', 'ada', 'sent'),
      [message('EMAIL', 'ada', { to: 'address of eve' })],
    ],
    [
      'a failure that the provider accepted',
      delivery('EMAIL', 'ada', 'failed'),
      [message('EMAIL', 'ada')],
    ],
    ['a hook with unknown outcome', delivery('WEB_HOOK', 'ada', 'unknown'), []],
  ])('%s', (_, row, accepted) => {
    expect(check([push(row.channel, ['ada'])], stored([row]), accepted).untrue).toHaveLength(1);
  });

  test('a canceled SMS that the provider accepted', () => {
    expect(
      check(
        [push('SMS', ['ada'])],
        stored([delivery('SMS', 'ada', 'canceled')]),
        [message('SMS', 'ada')],
        ['c1'],
      ).untrue,
    ).toHaveLength(1);
  });
});

test('reports and counts unknown SMS that the provider has', () => {
  const findings = check(
    [push('SMS', ['ada', 'bob'])],
    stored([delivery('SMS', 'ada', 'unknown'), delivery('SMS', 'bob', 'unknown')]),
    [message('SMS', 'ada')],
  );

  expect(findings.unresolved).toHaveLength(1);
  expect(findings.unknown).toEqual({ EMAIL: 0, SMS: 2, WEB_HOOK: 0 });
  expect(findings.unknownFor).toEqual(new Map([['SMS, not recorded by its worker', 2]]));
});
