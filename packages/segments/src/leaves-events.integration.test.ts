import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
