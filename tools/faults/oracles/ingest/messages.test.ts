import { describe, expect, test } from '@jest/globals';
import type { SentBatch, SentEntry } from '../../load/ingest/batches.ts';
import type { Attempt } from '../../load/post.ts';
import { checkMessages } from './messages.ts';
import type { Stored, StoredEvent, StoredReceipt } from './stored.ts';

const SERVICE_USER_ID = '3f2a9f6e-8f8b-4d7c-9c55-1f0a52a3c001';
const action = (id: string, time = 1) => ({
  type: 'action' as const,
  id,
  time,
  customName: 'viewed',
  attributes: { tag: id },
});
const user = (id: string) => ({ type: 'user' as const, id, time: 1 });
const entry = (messages: SentBatch['messages'], ...attempts: Attempt[]): SentEntry => ({
  batch: { application: 0, serviceUserId: SERVICE_USER_ID, messages },
  attempts,
});
const accepted = (requestId: string): Attempt => ({
  sentAt: 1,
  answeredAt: 2,
  status: 200,
  requestId,
});
const refused: Attempt = { sentAt: 1, answeredAt: 2, status: 503 };
const receipt = (
  requestId: string,
  messageId: string,
  own: Partial<StoredReceipt> = {},
): StoredReceipt => ({
  requestId,
  index: 0,
  messageId,
  type: 'action',
  outcome: 'stored',
  reason: null,
  ...own,
});
const event = (
  requestId: string,
  messageId: string,
  own: Partial<StoredEvent> = {},
): StoredEvent => ({
  requestId,
  index: 0,
  messageId,
  type: 'action',
  time: 1,
  tag: messageId,
  revenue: null,
  ...own,
});
const stored = (own: Partial<Stored>): Stored => ({ receipts: [], events: [], users: [], ...own });
const duplicate = { outcome: 'duplicate', reason: 'duplicate_id' };
const NOTHING = { lost: [], twice: [], unexpected: [] };

describe('nothing is found', () => {
  test('when accepted messages are stored once, and others in any number', () => {
    const entries = [entry([action('a')], accepted('r1')), entry([action('b')], refused)];

    expect(
      checkMessages(
        entries,
        stored({ receipts: [receipt('r1', 'a')], events: [event('r1', 'a')] }),
      ),
    ).toEqual(NOTHING);
  });

  test('when a rejected batch was stored, and its retry is a duplicate', () => {
    const entries = [entry([action('a')], refused, accepted('r2'))];

    expect(
      checkMessages(
        entries,
        stored({
          receipts: [receipt('r1', 'a'), receipt('r2', 'a', duplicate)],
          events: [event('r1', 'a')],
        }),
      ),
    ).toEqual(NOTHING);
  });

  test('when a second event of the same user and time is a duplicate', () => {
    const entries = [entry([action('a')], accepted('r1')), entry([action('b')], accepted('r2'))];
    const receipts = [
      receipt('r1', 'a'),
      receipt('r2', 'b', { outcome: 'duplicate', reason: 'duplicate_user_time' }),
    ];

    expect(checkMessages(entries, stored({ receipts, events: [event('r1', 'a')] }))).toEqual(
      NOTHING,
    );
  });
});

describe('lost is', () => {
  test.each([
    ['a message without a receipt', stored({})],
    [
      'a message that is pending for ever',
      stored({ receipts: [receipt('r1', 'a', { outcome: 'pending' })] }),
    ],
    ['an event whose receipt says that it is stored', stored({ receipts: [receipt('r1', 'a')] })],
  ])('%s', (_, found) => {
    expect(
      checkMessages([entry([action('a')], accepted('r1'))], found).lost.length,
    ).toBeGreaterThan(0);
  });

  test('a message marked as duplicate without an original', () => {
    const entries = [entry([action('a')], refused, accepted('r2'))];

    expect(
      checkMessages(entries, stored({ receipts: [receipt('r2', 'a', duplicate)] })).lost,
    ).toEqual(['a: marked as duplicate, but there is no original']);
  });
});

test('twice: an id with two receipts or two events', () => {
  const entries = [entry([action('a')], accepted('r1'), accepted('r2'))];
  const receipts = [receipt('r1', 'a'), receipt('r2', 'a')];

  expect(
    checkMessages(entries, stored({ receipts, events: [event('r1', 'a'), event('r2', 'a')] }))
      .twice,
  ).toEqual(['a: 2 receipts hold it', 'a: 2 events']);
});

describe('unexpected is', () => {
  test.each([
    [
      'a duplicate of an id that was sent once',
      stored({ receipts: [receipt('r1', 'a', duplicate)] }),
    ],
    [
      'a duplicate of a time that was sent once',
      stored({
        receipts: [receipt('r1', 'a', { outcome: 'duplicate', reason: 'duplicate_user_time' })],
      }),
    ],
    [
      'a message that was dropped for a reason it did not give',
      stored({
        receipts: [receipt('r1', 'a', { outcome: 'dropped', reason: 'identity_conflict' })],
      }),
    ],
    [
      'an event that was never sent',
      stored({
        receipts: [receipt('r1', 'a')],
        events: [event('r1', 'a'), event('r1', 'x', { index: 1 })],
      }),
    ],
    [
      'an event with other content',
      stored({ receipts: [receipt('r1', 'a')], events: [event('r1', 'a', { tag: 'other' })] }),
    ],
    [
      'an event with another time',
      stored({ receipts: [receipt('r1', 'a')], events: [event('r1', 'a', { time: 2 })] }),
    ],
  ])('%s', (_, found) => {
    expect(
      checkMessages([entry([action('a')], accepted('r1'))], found).unexpected.length,
    ).toBeGreaterThan(0);
  });

  test('a user message dropped for its time: the second rule does not apply to them', () => {
    const entries = [entry([user('a')], accepted('r1')), entry([user('b')], accepted('r2'))];
    const receipts = [
      receipt('r1', 'a', { type: 'user', outcome: 'processed' }),
      receipt('r2', 'b', { type: 'user', outcome: 'duplicate', reason: 'duplicate_user_time' }),
    ];

    expect(checkMessages(entries, stored({ receipts })).unexpected).toHaveLength(1);
  });

  test('an event with a blank name that was stored', () => {
    const blank = { ...action('a'), customName: ' ' };

    expect(
      checkMessages(
        [entry([blank], accepted('r1'))],
        stored({ receipts: [receipt('r1', 'a')], events: [event('r1', 'a')] }),
      ).unexpected,
    ).toHaveLength(1);
  });
});
