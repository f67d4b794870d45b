import { expect, test } from '@jest/globals';
import type { AcceptedMessage } from '../../rigs/sandbox-control.ts';
import { checkAccounts, type AccountEvidence } from './accounts.ts';
import type { StoredAccount } from './stored-deliveries.ts';

const delivery = (
  deliveryId: string,
  account: string | null,
  own: Partial<StoredAccount> = {},
): StoredAccount => ({
  deliveryId,
  state: 'delivered',
  account,
  accountReason: account === 'first' ? 'order' : 'breaker_open',
  ...own,
});
const message = (deliveryId: string, account: string | null): AcceptedMessage => ({
  channel: 'SMS',
  to: `address of ${deliveryId}`,
  campaignId: 'c1',
  deliveryId,
  hookId: null,
  account,
  receivedAt: 1,
});

/** The first died: one answer was lost, one message was not accepted by it, and one never left. */
const EVIDENCE: AccountEvidence = {
  accounts: [
    { name: 'first', seenAs: '+1' },
    { name: 'second', seenAs: '+2' },
  ],
  deliveries: [
    delivery('d1', 'first'),
    delivery('d2', 'first', { state: 'unknown' }),
    delivery('d3', 'second', { accountReason: 'not_accepted' }),
    delivery('d4', 'second', { state: 'sent' }),
    delivery('d5', 'second', { state: 'unknown' }),
  ],
  accepted: [message('d1', '+1'), message('d2', '+1'), message('d3', '+2'), message('d4', '+2')],
  reported: [
    { name: 'first', sent: 1, delivered: 1, failed: 0, unknown: 1 },
    { name: 'second', sent: 2, delivered: 1, failed: 0, unknown: 1 },
  ],
};

test('the report, the deliveries and both providers agree', () => {
  expect(checkAccounts(EVIDENCE)).toEqual([]);
});

const withDelivery = (changed: StoredAccount): AccountEvidence => ({
  ...EVIDENCE,
  deliveries: EVIDENCE.deliveries.map((one) =>
    one.deliveryId === changed.deliveryId ? changed : one,
  ),
});

test('a delivery that names another account than the one its message came by', () => {
  expect(checkAccounts(withDelivery(delivery('d3', 'first')))).toContain(
    'the message to address of d3 came by second, but its delivery has first',
  );
});

test.each([
  ['first', 'not_accepted'],
  ['second', 'order'],
  ['second', 'share'],
  ['second', null],
  ['third', 'breaker_open'],
  [null, null],
] as const)('the account %s cannot be chosen by %s', (account, accountReason) => {
  expect(checkAccounts(withDelivery(delivery('d4', account, { accountReason })))).toContain(
    `delivery d4 has the account ${account} by ${accountReason}`,
  );
});

test.each([
  ['a sender that no account has', message('d1', '+3'), 'no account, but +3', 'first'],
  ['an unknown delivery', message('d9', '+1'), 'first', 'null'],
])('a message by %s', (_, one, name, stored) => {
  expect(checkAccounts({ ...EVIDENCE, accepted: [...EVIDENCE.accepted, one] })).toContain(
    `the message to ${one.to} came by ${name}, but its delivery has ${stored}`,
  );
});

test.each(['sent', 'delivered', 'failed', 'unknown'] as const)(
  'a report whose count of %s differs from the deliveries',
  (what) => {
    const [first, ...others] = EVIDENCE.reported;
    if (first === undefined) throw new Error('no account is reported');
    const reported = [{ ...first, [what]: first[what] + 1 }, ...others];

    expect(checkAccounts({ ...EVIDENCE, reported })).toEqual([
      `${first[what] + 1} ${what} by first reported, ${first[what]} stored`,
    ]);
  },
);

test('a report without an account counts nothing of it', () => {
  expect(checkAccounts({ ...EVIDENCE, reported: EVIDENCE.reported.slice(1) })).toEqual([
    'accounts second reported, first, second sent',
    '0 sent by first reported, 1 stored',
    '0 delivered by first reported, 1 stored',
    '0 unknown by first reported, 1 stored',
  ]);
});

test('a provider that has less than was sent by it, or more than is unknown beyond that', () => {
  expect(checkAccounts({ ...EVIDENCE, accepted: EVIDENCE.accepted.slice(0, 3) })).toEqual([
    'the provider of second has 1, and 2 are sent and 1 unknown',
  ]);
  const again = [...EVIDENCE.accepted, message('d1', '+1')];
  expect(checkAccounts({ ...EVIDENCE, accepted: again })).toEqual([
    'the provider of first has 3, and 1 are sent and 1 unknown',
  ]);
});
