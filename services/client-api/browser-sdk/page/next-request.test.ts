import { describe, expect, test } from '@jest/globals';
import { nextMessages, nextReceipts } from './next-request.ts';
import type { Pending, Person } from './outbox.ts';

const pending = (key: string, person: Person, size = 100): Pending => ({
  key,
  size,
  item: { person, message: { type: 'action', id: key, time: 1 } },
});
const ada: Person = { customUserId: 'ada', serviceUserId: '1' };
const grace: Person = { customUserId: 'grace', serviceUserId: '2' };

describe('a batch of messages', () => {
  test('contains messages of one person, the one with the oldest message', () => {
    const batch = nextMessages(
      [pending('a1', ada), pending('g1', grace), pending('a2', ada)],
      grace,
    );

    expect(batch).toMatchObject({
      path: '/',
      body: { customUserId: 'ada', serviceUserId: '1', messages: [{ id: 'a1' }, { id: 'a2' }] },
      keys: ['a1', 'a2'],
    });
  });

  test('assigns earlier anonymous messages to the current identity, and waits while there is none', () => {
    expect(nextMessages([pending('m', {})], {})).toBeUndefined();
    expect(nextMessages([pending('m', {})], ada)?.body).toMatchObject({
      customUserId: 'ada',
      serviceUserId: '1',
    });
  });

  test('messages that must wait do not block others', () => {
    expect(nextMessages([pending('m', {}), pending('a', ada)], {})?.keys).toEqual(['a']);
  });

  test('is small enough for a keepalive request, and has at least one message', () => {
    const large = ['1', '2', '3'].map((key) => pending(key, ada, 20_000));

    expect(nextMessages(large, ada)?.keys).toEqual(['1', '2']);
    expect(nextMessages([pending('huge', ada, 900_000), ...large], ada)?.keys).toEqual(['huge']);
    expect(nextMessages(large, ada, 1)?.keys).toEqual(['1']);
  });
});

test('receipts are sent together, oldest first', () => {
  const receipt = (deliveryId: string): Pending => ({
    key: deliveryId,
    size: 1,
    item: { receipt: { deliveryId, event: 'displayed', at: 5 } },
  });

  expect(nextReceipts([receipt('d1'), pending('m', ada), receipt('d2')], 'device')).toEqual({
    path: '/sdk/v1/receipts',
    body: {
      deviceId: 'device',
      receipts: [
        { deliveryId: 'd1', event: 'displayed', at: 5 },
        { deliveryId: 'd2', event: 'displayed', at: 5 },
      ],
    },
    keys: ['d1', 'd2'],
  });
  expect(nextReceipts([pending('m', ada)], 'device')).toBeUndefined();
});
