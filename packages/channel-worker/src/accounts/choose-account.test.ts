import { describe, expect, test } from '@jest/globals';
import type { ChannelAccount } from '@tidings/accounts/channel-settings';
import type { AccountChoice } from '@tidings/contracts/channels/accounts';
import {
  chooseAccount,
  hasNextAccount,
  orderAccounts,
  type AccountHealth,
  type Candidates,
} from './choose-account.ts';

const account = (name: string, change: Partial<ChannelAccount> = {}): ChannelAccount => ({
  name,
  status: 'ready',
  settings: {},
  secrets: {},
  testedAt: null,
  share: null,
  countries: null,
  ...change,
});

function orderOf(
  accounts: readonly ChannelAccount[],
  { address = '+4915112345001', country = null as string | null, sendsUntested = false } = {},
) {
  const ordered = orderAccounts(accounts, { address, country }, { sendsUntested });
  return [ordered.accounts.map(({ name }) => name).join(' '), ordered.reason];
}

describe('the order of accounts', () => {
  const general = account('general');
  const german = account('german', { countries: ['DE'] });

  test('is theirs without shares and countries', () => {
    expect(orderOf([account('b'), account('a'), account('c')])).toEqual(['b a c', 'order']);
  });

  test('begins with those for the country; those for others are left out', () => {
    const french = account('french', { countries: ['FR', 'BE'] });

    expect(orderOf([general, german, french], { country: 'DE' })).toEqual([
      'german general',
      'country',
    ]);
    expect(orderOf([general, german, french], { country: 'BE' })).toEqual([
      'french general',
      'country',
    ]);
    expect(orderOf([general, german, french], { country: 'US' })).toEqual(['general', 'order']);
    expect(orderOf([general, german, french])).toEqual(['general', 'order']);
  });

  test('leaves out what no test send has proved, unless nothing else may send', () => {
    const untested = account('untested', { status: 'untested' });

    expect(orderOf([untested, general])).toEqual(['general', 'order']);
    expect(orderOf([untested, general], { sendsUntested: true })).toEqual([
      'untested general',
      'order',
    ]);
    expect(orderOf([untested])).toEqual(['untested', 'order']);
    expect(orderOf([untested, german], { country: 'US' })).toEqual(['untested', 'order']);
  });

  test('follows shares; what has none stands by', () => {
    const accounts = [
      account('none'),
      account('seventy', { share: 70 }),
      account('zero', { share: 0 }),
      account('thirty', { share: 30 }),
    ];
    const orders = Array.from({ length: 10_000 }, (_, index) =>
      orderOf(accounts, { address: `+49151${1_000_000 + index}` }),
    );
    const counts = Map.groupBy(orders, ([order]) => order);

    expect([...counts.keys()].toSorted()).toEqual([
      'seventy thirty none zero',
      'thirty seventy none zero',
    ]);
    // Of 10,000 draws: 0.7 ± 6 standard deviations.
    const first = counts.get('seventy thirty none zero')?.length ?? 0;
    expect(Math.abs(first - 7_000)).toBeLessThan(275);
    expect(new Set(orders.map(([, reason]) => reason))).toEqual(new Set(['share']));
  });

  test('of three shares also gives the second place by them', () => {
    const accounts = [10, 30, 60].map((share) => account(`s${share}`, { share }));
    const orders = Array.from({ length: 10_000 }, (_, index) =>
      String(orderOf(accounts, { address: `user-${index}@example.org` })[0]),
    );
    const second = orders.filter((order) => order.startsWith('s60 s30')).length;

    // 0.6, and of the rest three quarters.
    expect(Math.abs(second - 4_500)).toBeLessThan(300);
  });

  test('is the same for an address at any time', () => {
    const accounts = [account('a', { share: 1 }), account('b', { share: 1 })];

    expect(new Set(Array.from({ length: 5 }, () => orderOf(accounts)[0])).size).toBe(1);
  });
});

const WORKS: AccountHealth = { state: 'works' };
const OPEN: AccountHealth = { state: 'breaker_open', forMs: 900 };
const PAUSED: AccountHealth = { state: 'paused', forMs: 60_000 };

const candidates: Candidates = {
  accounts: [account('a'), account('b'), account('c')],
  reason: 'order',
};

function choose(
  health: Readonly<Record<string, AccountHealth>>,
  before?: string,
  repeatedBy?: ChannelAccount | null,
): string {
  const sentBefore: AccountChoice | undefined =
    before === undefined ? undefined : { account: before, reason: 'share' };
  const chosen = chooseAccount(candidates, {
    before: sentBefore,
    ...(repeatedBy !== undefined && { repeatedBy }),
    healthOf: ({ name }) => health[name] ?? WORKS,
  });
  if (chosen === 'never') return chosen;
  return 'waitMs' in chosen ? `wait ${chosen.waitMs}` : `${chosen.account.name} ${chosen.reason}`;
}

describe('the account of an attempt', () => {
  test.each([
    ['the preferred one', {}, undefined, 'a order'],
    ['the next one while its breaker is open', { a: OPEN }, undefined, 'b breaker_open'],
    ['the next one while it is paused', { a: PAUSED }, undefined, 'b paused'],
    ['the first that works', { a: PAUSED, b: OPEN }, undefined, 'c paused'],
    ['the one behind that which did not accept', {}, 'a', 'b not_accepted'],
    ['again the first one, after the last', {}, 'c', 'a not_accepted'],
    ['the same one if no other works', { b: OPEN, c: PAUSED }, 'a', 'a breaker_open'],
    ['the preferred one if that before is gone', {}, 'removed', 'a order'],
    [
      'none: the first that works again is waited for',
      { a: PAUSED, b: OPEN, c: PAUSED },
      undefined,
      'wait 900',
    ],
  ])('%s', (_name, health, before, expected) => {
    expect(choose(health, before)).toBe(expected);
  });

  test('an unknown outcome is only repeated by the same one, also if that is no candidate', () => {
    const other = account('removed from the candidates');

    expect(choose({}, 'a', account('a'))).toBe('a share');
    expect(choose({ a: OPEN }, 'a', account('a'))).toBe('wait 900');
    expect(choose({}, other.name, other)).toBe(`${other.name} share`);
    expect(choose({}, 'gone', null)).toBe('never');
    expect(choose({}, undefined, null)).toBe('never');
  });
});

test('what an account did not accept goes on at once while another behind it works', () => {
  const next = (name: string, health: Readonly<Record<string, AccountHealth>> = {}) =>
    hasNextAccount(candidates, name, ({ name: other }) => health[other] ?? WORKS);

  expect([next('a'), next('b'), next('c')]).toEqual([true, true, false]);
  expect(next('a', { b: OPEN })).toBe(true);
  expect(next('a', { b: OPEN, c: PAUSED })).toBe(false);
});
