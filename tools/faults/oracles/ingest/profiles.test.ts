import { describe, expect, test } from '@jest/globals';
import type { SentMessage } from '../../load/ingest/batches.ts';
import { checkProfiles, aggregateProfile } from './profiles.ts';

const update = (
  id: string,
  time: number,
  own: Omit<SentMessage, 'type' | 'id' | 'time'>,
): SentMessage => ({ type: 'user', id, time, ...own });
const older = update('b', 1, {
  firstName: 'Ada',
  gender: 'F',
  customAttributes: { plan: 'free', seats: 1 },
});
const newer = update('a', 2, {
  firstName: 'Grace',
  gender: null,
  customAttributes: { plan: 'pro' },
});

describe('the aggregate of updates', () => {
  test('has the newest value of each field and attribute, without cleared ones, in any order', () => {
    const expected = {
      fields: { firstName: 'Grace' },
      customAttributes: { plan: 'pro', seats: 1 },
    };

    expect(aggregateProfile([older, newer])).toEqual(expected);
    expect(aggregateProfile([newer, older, newer])).toEqual(expected);
  });

  test('with equal times has the value of the greater id', () => {
    expect(
      aggregateProfile([update('b', 1, { firstName: 'B' }), update('a', 1, { firstName: 'A' })])
        .fields,
    ).toEqual({ firstName: 'B' });
  });
});

describe('a profile', () => {
  const options = { prefix: 'p', application: 0, users: 1 };
  const entries = [older, newer].map((message) => ({
    batch: { application: 0, customUserId: 'p-user-0', messages: [message] },
    attempts: [],
  }));
  const receipts = ['a', 'b'].map((messageId) => ({
    requestId: messageId,
    index: 0,
    messageId,
    type: 'user',
    outcome: 'processed',
    reason: null,
  }));
  const ada = {
    customUserId: 'p-user-0',
    isRegistered: true,
    fields: { firstName: 'Grace' },
    customAttributes: { plan: 'pro', seats: 1 },
  };
  const check = (user: typeof ada) =>
    checkProfiles(entries, { receipts, events: [], users: [user] }, options);

  test('that is the aggregate of the processed updates is accepted', () => {
    expect(check(ada)).toEqual([]);
  });

  test.each([
    ['with an older value', { ...ada, fields: { firstName: 'Ada' } }],
    ['with a field that was cleared', { ...ada, fields: { firstName: 'Grace', gender: 'F' } }],
    ['without an attribute', { ...ada, customAttributes: { plan: 'pro' } }],
    ['of an unregistered user', { ...ada, isRegistered: false }],
    ['without a user', { ...ada, customUserId: 'p-user-1' }],
  ])('reports %s', (_, user) => {
    expect(check(user as typeof ada)).toHaveLength(1);
  });
});
