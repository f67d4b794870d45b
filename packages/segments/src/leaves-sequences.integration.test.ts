import { afterAll, describe, expect, test } from '@jest/globals';
import type { Condition } from '@tidings/contracts/segments/conditions';
import { connectTestDatabase } from '@tidings/testing';
import { estimateMembers } from './estimate.ts';
import { explainMembership } from './explain.ts';
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
const { ask, check } = createLeafCases(db);

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

describe('an event that never follows', () => {
  const viewed = (time: number, rest: Partial<StoredEvent> = {}) => event('viewd', time, rest);
  const bought = (time: number) => order(1, { time });
  const never: Condition = {
    event: 'viewd',
    within: '30d',
    neverFollowedBy: { event: 'order', in: '7d' },
  };
  check([
    [
      'is asked of the person: one follower is enough',
      never,
      {
        none: {},
        never: { events: [viewed(NOW - 20 * DAY), viewed(NOW - 10 * DAY)] },
        afterOne: {
          events: [viewed(NOW - 20 * DAY), viewed(NOW - 10 * DAY), bought(NOW - 9 * DAY)],
        },
        afterFirst: { events: [viewed(NOW - 20 * DAY), bought(NOW - 19 * DAY), viewed(NOW - DAY)] },
        open: { events: [viewed(NOW - DAY)] },
        before: { events: [bought(NOW - 20 * DAY), viewed(NOW - 20 * DAY + 1)] },
        just: { events: [viewed(NOW - 20 * DAY), bought(NOW - 13 * DAY)] },
        tooLate: { events: [viewed(NOW - 20 * DAY), bought(NOW - 13 * DAY + 1)] },
        merged: { events: [viewed(NOW - 20 * DAY)], anonymous: [bought(NOW - 19 * DAY)] },
      },
      ['before', 'never', 'open', 'tooLate'],
    ],
    [
      'after an event outside of the window does not count',
      never,
      {
        early: { events: [viewed(NOW - 30 * DAY), bought(NOW - 29 * DAY), viewed(NOW - 9 * DAY)] },
        inside: { events: [viewed(NOW - 30 * DAY + 1), bought(NOW - 29 * DAY)] },
      },
      ['early'],
    ],
    [
      'stands beside a count',
      { ...never, count: { gte: 2 } },
      {
        one: { events: [viewed(NOW - 20 * DAY)] },
        two: { events: [viewed(NOW - 20 * DAY), viewed(NOW - DAY)] },
        bought: { events: [viewed(NOW - 20 * DAY), viewed(NOW - DAY), bought(NOW)] },
      },
      ['two'],
    ],
    [
      'stands beside a count that needs none',
      { ...never, count: { lte: 1 } },
      {
        none: {},
        one: { events: [viewed(NOW - DAY)] },
        bought: { events: [viewed(NOW - DAY), bought(NOW)] },
      },
      ['none', 'one'],
    ],
    [
      'without a time at all',
      { event: 'viewd', neverFollowedBy: { event: 'order' } },
      {
        now: { events: [viewed(NOW - 300 * DAY), bought(NOW)] },
        ahead: { events: [viewed(NOW - 300 * DAY), bought(NOW + 1)] },
        first: { events: [bought(NOW - 2), viewed(NOW - 1)] },
      },
      ['ahead', 'first'],
    ],
    [
      'the counted events alone, which another one follows',
      {
        event: 'chkot',
        followedBy: { event: 'viewd', in: '1h' },
        neverFollowedBy: { event: 'order' },
      },
      {
        both: { events: [event('chkot', NOW - DAY), viewed(NOW - DAY + 1), bought(NOW - 5)] },
        one: { events: [event('chkot', NOW - DAY), viewed(NOW - DAY + 1)] },
        uncounted: {
          events: [
            event('chkot', NOW - 2 * DAY),
            bought(NOW - 2 * DAY + 1),
            event('chkot', NOW - DAY),
            viewed(NOW - DAY + 1),
          ],
        },
      },
      ['one', 'uncounted'],
    ],
    [
      'is not the same as one of them without it: of a sequence by its events',
      { event: 'viewd', within: '30d', notFollowedBy: { event: 'order', in: '7d' } },
      {
        never: { events: [viewed(NOW - 20 * DAY), viewed(NOW - 10 * DAY)] },
        afterOne: {
          events: [viewed(NOW - 20 * DAY), viewed(NOW - 10 * DAY), bought(NOW - 9 * DAY)],
        },
        open: { events: [viewed(NOW - DAY)] },
      },
      ['afterOne', 'never'],
    ],
  ]);

  test('has how many it followed as evidence', async () => {
    const events = [viewed(NOW - 3 * DAY), viewed(NOW - 2 * DAY), bought(NOW - DAY), viewed(NOW)];
    const { question } = await ask(never, { ada: { events } }, {});

    expect(await explainMembership(db.sql, question, { customUserId: 'ada' })).toMatchObject({
      isMember: false,
      tree: [{ key: 'event', evidence: { count: 3, followed: 2 } }],
    });
  });

  test.each<[what: string, condition: Condition, open: Record<string, string[]>]>([
    ['of the person', never, { '/neverFollowedBy': ['again', 'open'] }],
    [
      'by events',
      { event: 'viewd', notFollowedBy: { event: 'order', in: '7d' } },
      { '/notFollowedBy': ['again'] },
    ],
    [
      'in a window shorter than its time',
      { event: 'viewd', within: '1d', neverFollowedBy: { event: 'order', in: '7d' } },
      { '/neverFollowedBy': ['open'] },
    ],
    [
      'between two instants',
      {
        event: 'viewd',
        from: NOW - 3 * DAY,
        to: NOW - DAY,
        neverFollowedBy: { event: 'order', in: '7d' },
      },
      { '/neverFollowedBy': ['again'] },
    ],
    ['without a time', { event: 'viewd', neverFollowedBy: { event: 'order' } }, {}],
    [
      'in groups, not in opposites',
      { any: [{ not: never }, { all: [never] }] },
      { '/any/1/all/0/neverFollowedBy': ['again', 'open'] },
    ],
  ])('still may, in an estimate %s', async (_what, condition, open) => {
    const users: Record<string, Sketch> = {
      open: { events: [viewed(NOW - DAY + 1)] },
      edge: { events: [viewed(NOW - 7 * DAY)] },
      again: { events: [viewed(NOW - 20 * DAY), viewed(NOW - 2 * DAY)] },
      bought: { events: [viewed(NOW - DAY + 1), bought(NOW)] },
      none: {},
    };
    const { question } = await ask(condition, users, {});
    const estimate = await estimateMembers(db.sql, question, {
      customUserIds: Object.keys(users),
      registered: 5,
      isAll: true,
    });

    expect(estimate.stillOpen).toEqual(
      Object.entries(open).map(([pointer, names]) => ({ pointer, count: names.length })),
    );
  });
});
