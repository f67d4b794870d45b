import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { connectTestDatabase } from '@tidings/testing';
import { DEFINITIONS } from './testing/create-population.ts';
import {
  DAY,
  HOUR,
  NOW,
  event,
  order,
  createLeafCases,
  type Sketch,
} from './testing/leaf-cases.ts';
import type { StoredEvent } from './testing/population.ts';

const db = connectTestDatabase();
afterAll(() => db.close());
const { membersOf, check } = createLeafCases(db);

describe('events', () => {
  const did = (...times: number[]): Sketch => ({
    events: times.map((time) => event('viewd', time)),
  });
  check([
    [
      'within excludes its beginning and includes now',
      { event: 'viewd', within: '30d' },
      { at: did(NOW - 30 * DAY), in: did(NOW - 30 * DAY + 1), now: did(NOW), ahead: did(NOW + 1) },
      ['in', 'now'],
    ],
    [
      'from is included and to is not',
      { event: 'viewd', from: NOW - DAY, to: NOW - HOUR },
      {
        before: did(NOW - DAY - 1),
        from: did(NOW - DAY),
        last: did(NOW - HOUR - 1),
        to: did(NOW - HOUR),
      },
      ['from', 'last'],
    ],
    [
      'to ahead of now ends now',
      { event: 'viewd', to: NOW + DAY },
      { now: did(NOW), ahead: did(NOW + 1), first: did(-(2 ** 62)) },
      ['first', 'now'],
    ],
    [
      'a count',
      { event: 'viewd', count: { gte: 2, lt: 4 } },
      { one: did(1), two: did(1, 1), three: did(1, 2, 3), four: did(1, 2, 3, 4), none: {} },
      ['three', 'two'],
    ],
    [
      'a count that none satisfies',
      { event: 'viewd', count: { lt: 1 } },
      { one: did(1), none: {} },
      ['none'],
    ],
    [
      'of a merged definition count for its target, by either slug',
      { event: 'seenx', count: { gte: 2 } },
      { both: { events: [event('viewd', 1), event('seenx', 2)] }, one: did(1) },
      ['both'],
    ],
    [
      'of a discarded definition still count',
      { event: 'goner' },
      { ada: { events: [event('goner', 1)] } },
      ['ada'],
    ],
    [
      'by kind and name',
      { event: { kind: 'action', name: 'name of login' } },
      { ada: { events: [event('login', 1)] }, bob: did(1) },
      ['ada'],
    ],
    [
      'of all ids of a person add up',
      { event: 'viewd', count: { gte: 2 } },
      {
        merged: { events: [event('viewd', 1)], anonymous: [event('viewd', 1)] },
        one: { anonymous: [event('viewd', 1)] },
      },
      ['merged'],
    ],
    [
      'a registration yesterday is no activity',
      { not: { event: 'login', within: '14d' } },
      { newcomer: { registeredAt: NOW - DAY }, active: { events: [event('login', NOW - DAY)] } },
      ['newcomer'],
    ],
    [
      'of a user who is being deleted count for nobody',
      { not: { event: 'viewd' } },
      { ada: { events: [event('viewd', 1)] }, bob: { orphaned: [event('viewd', 1)] } },
      ['bob'],
    ],
    [
      'proved ones',
      { event: 'viewd', proved: true },
      {
        yes: { events: [event('viewd', 1)] },
        no: { events: [event('viewd', 1, { isProved: false })] },
        before: { events: [event('viewd', 1, { isProved: null })] },
      },
      ['yes'],
    ],
    [
      'with attributes, all of one event',
      {
        event: 'viewd',
        where: [
          { attribute: 'price', gt: 50 },
          { attribute: 'color', is: 'red' },
        ],
      },
      {
        one: { events: [event('viewd', 1, { attributes: { price: 51, color: 'red' } })] },
        two: {
          events: [
            event('viewd', 1, { attributes: { price: 51 } }),
            event('viewd', 1, { attributes: { price: 1, color: 'red' } }),
          ],
        },
        text: { events: [event('viewd', 1, { attributes: { price: '51', color: 'red' } })] },
        none: did(1),
      },
      ['one'],
    ],
  ]);
});

test('a definition that was deleted since names no event', async () => {
  const ada = { ada: { events: [event('login', 1)] } };
  const left = { definitions: DEFINITIONS.filter(({ slug }) => slug === 'viewd') };

  expect(await membersOf({ event: 'login' }, ada, left)).toEqual([]);
  expect(await membersOf({ event: 'login', notFollowedBy: { event: 'viewd' } }, ada, left)).toEqual(
    [],
  );
  expect(await membersOf({ not: { event: 'login' } }, ada, left)).toEqual(['ada']);
});

test('a segment that was deleted since has no members', async () => {
  expect(await membersOf({ segment: 'vip' }, { ada: {} }, { segments: new Map() })).toEqual([]);
});

describe('revenue', () => {
  const paid = (...amounts: number[]): Sketch => ({
    events: amounts.map((amount) => order(amount)),
  });
  check([
    [
      'is summed in one currency',
      { event: 'order', sum: { gt: 200 }, currency: 'EUR' },
      {
        enough: paid(150, 50.01),
        exactly: paid(150, 50),
        mixed: { events: [order(150), order(100, { currency: 'USD' })] },
      },
      ['enough'],
    ],
    [
      'is exact',
      { event: 'order', sum: { gte: 0.3, lte: 0.3 }, currency: 'EUR' },
      { sum: paid(0.1, 0.2), double: paid(0.1 + 0.2) },
      ['sum'],
    ],
    [
      'a refund counts',
      { event: 'order', sum: { lt: 10 }, currency: 'EUR', count: { gte: 2 } },
      { refunded: paid(100, -95), paid: paid(100, 5) },
      ['refunded'],
    ],
    [
      'a sum needs an event, unless the count says otherwise',
      { event: 'order', sum: { lt: 10 }, currency: 'EUR' },
      { little: paid(5), none: {}, other: { events: [order(5, { currency: 'USD' })] } },
      ['little'],
    ],
    [
      'a sum of nothing is 0',
      { event: 'order', sum: { lt: 10 }, currency: 'EUR', count: { gte: 0 } },
      { little: paid(5), none: {}, much: paid(10) },
      ['little', 'none'],
    ],
    [
      'of both ids',
      { event: 'order', sum: { gte: 10 }, currency: 'EUR' },
      { merged: { events: [order(5)], anonymous: [order(5)] } },
      ['merged'],
    ],
  ]);
});

describe('an event that follows', () => {
  const X = NOW - 5 * HOUR;
  const then = (...events: readonly Omit<StoredEvent, 'userId'>[]): Sketch => ({
    events: [event('chkot', X, { receivedAt: NOW - 5, messageId: 'f' }), ...events],
  });
  const followed: Condition = { event: 'chkot', followedBy: { event: 'order', in: '1h' } };
  const unfollowed: Condition = { event: 'chkot', notFollowedBy: { event: 'order', in: '1h' } };
  const ties = {
    sooner: then(order(1, { time: X, receivedAt: NOW - 6 })),
    later: then(order(1, { time: X, receivedAt: NOW - 4 })),
    lowerId: then(order(1, { time: X, receivedAt: NOW - 5, messageId: 'a' })),
    upperId: then(order(1, { time: X, receivedAt: NOW - 5, messageId: 'z' })),
    capitalId: then(order(1, { time: X, receivedAt: NOW - 5, messageId: 'Z' })),
  };
  const windows = {
    before: then(order(1, { time: X - 1 })),
    just: then(order(1, { time: X + HOUR })),
    tooLate: then(order(1, { time: X + HOUR + 1 })),
    never: then(),
    none: {},
  };
  check([
    ['comes within its time', followed, windows, ['just']],
    ['does not come within its time', unfollowed, windows, ['before', 'never', 'tooLate']],
    ['is strictly later: by time, arrival, message id', followed, ties, ['later', 'upperId']],
    ['or does not follow', unfollowed, ties, ['capitalId', 'lowerId', 'sooner']],
    [
      'is not missing before its time is over',
      { event: 'viewd', notFollowedBy: { event: 'order', in: '1h' } },
      {
        over: { events: [event('viewd', NOW - HOUR)] },
        open: { events: [event('viewd', NOW - HOUR + 1)] },
      },
      ['over'],
    ],
    [
      'is missing until now without a time',
      { event: 'viewd', notFollowedBy: { event: 'order' } },
      {
        now: { events: [event('viewd', NOW)] },
        ahead: { events: [event('viewd', NOW - 1), order(1, { time: NOW + 1 })] },
        came: { events: [event('viewd', NOW - 1), order(1, { time: NOW })] },
      },
      ['ahead', 'now'],
    ],
    [
      'comes of another id of the person',
      followed,
      { merged: { events: [event('chkot', X)], anonymous: [order(1, { time: X + 1 })] } },
      ['merged'],
    ],
    [
      'of the same definition is another event',
      { event: 'chkot', followedBy: { event: 'chkot' } },
      {
        once: { events: [event('chkot', X)] },
        twice: { events: [event('chkot', X), event('chkot', X + 1)] },
      },
      ['twice'],
    ],
    [
      'counts each first event',
      { event: 'chkot', count: { gte: 2 }, followedBy: { event: 'order' } },
      {
        one: { events: [event('chkot', X), order(1, { time: X + 1 }), event('chkot', X + 2)] },
        two: { events: [event('chkot', X), event('chkot', X + 1), order(1, { time: X + 2 })] },
      },
      ['two'],
    ],
    [
      'with attributes',
      { event: 'chkot', followedBy: { event: 'viewd', where: [{ attribute: 'a', is: 1 }] } },
      {
        such: then(event('viewd', X + 1, { attributes: { a: 1 } })),
        other: then(event('viewd', X + 1, { attributes: { a: 2 } })),
      },
      ['such'],
    ],
    [
      'one does and one does not',
      { event: 'chkot', followedBy: { event: 'viewd' }, notFollowedBy: { event: 'order' } },
      {
        both: then(event('viewd', X + 1), order(1, { time: X + 2 })),
        one: then(event('viewd', X + 1)),
      },
      ['one'],
    ],
    [
      'lies outside of the window of the first',
      { event: 'chkot', from: X, to: X + 1, followedBy: { event: 'order' } },
      { after: then(order(1, { time: X + DAY / 12 })) },
      ['after'],
    ],
  ]);
});

describe('other applications', () => {
  beforeAll(async () => {
    await membersOf({ event: 'viewd' }, { ada: { events: [event('viewd', 1)] } });
  });

  test('have no part in an answer', async () => {
    expect(await membersOf({ event: 'viewd' }, { bob: { events: [event('viewd', 1)] } })).toEqual([
      'bob',
    ]);
  });
});
