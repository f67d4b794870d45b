import { afterEach, expect, test } from '@jest/globals';
import { createLogger, currentTraceparent, systemClock } from '@tidings/platform';
import { inTrace } from '@tidings/platform/testing';
import type { Database } from '@tidings/postgres/database';
import { InboxSubscriptions, type EndReason } from './inbox-subscriptions.ts';

/** A database without messages. */
const sql = {
  query: (_text: string, [applicationIds = []]: string[][]) =>
    Promise.resolve({
      rows: applicationIds.map((_, index) => ({
        no: index + 1,
        user_id: 'user',
        delivery_id: null,
      })),
    }),
};
const opened = new Set<InboxSubscriptions>();
afterEach(async () => {
  for (const subscriptions of opened) await subscriptions.close();
  opened.clear();
});

function open(subscribersMax: number) {
  const subscriptions = new InboxSubscriptions({
    db: { sql } as unknown as Pick<Database, 'sql'>,
    clock: systemClock,
    logger: createLogger('client-api', 'silent'),
    subscribersMax,
  });
  opened.add(subscriptions);
  const ended: string[] = [];
  let devices = 0;
  /** Returns whether there was a place. */
  const subscribe = (applicationId: string): boolean => {
    const deviceId = `${applicationId}${(devices += 1)}`;
    const question = { applicationId, deviceId, channel: null, stream: deviceId, messagesMax: 10 };
    return (
      subscriptions.subscribe({
        question,
        userId: 'user',
        deliver: () => true,
        tick: () => undefined,
        end: (why: EndReason) => ended.push(`${deviceId} ${why}`),
      }) !== null
    );
  };
  return { subscriptions, subscribe, ended };
}

test('one application may use all places while no other application wants them, and no more', () => {
  const { subscribe, ended } = open(4);

  expect(['a', 'a', 'a', 'a', 'a'].map(subscribe)).toEqual([true, true, true, true, false]);
  expect(ended).toEqual([]);
});

test('when full, the largest application gives places to another until both have equally many', () => {
  const { subscribe, ended } = open(4);
  ['a', 'a', 'a', 'a'].forEach(subscribe);

  expect(['b', 'b', 'b'].map(subscribe)).toEqual([true, true, false]);
  // The oldest connections end first: they would reconnect soonest anyway.
  expect(ended).toEqual(['a1 replaced', 'a2 replaced']);
  expect(subscribe('a')).toBe(false);
  expect(subscribe('c')).toBe(true);
  expect(ended).toHaveLength(3);
});

test('closing ends all subscribers, and every subscriber that comes later', async () => {
  const { subscriptions, subscribe, ended } = open(4);
  subscribe('a');
  await subscriptions.close();

  expect(subscribe('b')).toBe(true);
  await Promise.resolve();

  expect(ended).toEqual(['a1 closed', 'b2 closed']);
});

test('shared work is in no subscriber’s trace', async () => {
  const traces: (string | undefined)[] = [];
  const queried = Promise.withResolvers<void>();
  const watched = {
    query(text: string, values: string[][]) {
      traces.push(currentTraceparent());
      queried.resolve();
      return sql.query(text, values);
    },
  };
  const subscriptions = new InboxSubscriptions({
    db: { sql: watched } as unknown as Pick<Database, 'sql'>,
    clock: systemClock,
    logger: createLogger('client-api', 'silent'),
    subscribersMax: 4,
  });
  opened.add(subscriptions);
  const ticked = Promise.withResolvers<string | undefined>();
  const question = {
    applicationId: 'a',
    deviceId: 'a1',
    channel: null,
    stream: 'a1',
    messagesMax: 10,
  };

  inTrace(() =>
    subscriptions.subscribe({
      question,
      userId: 'user',
      deliver: () => true,
      tick: () => ticked.resolve(currentTraceparent()),
      end: () => undefined,
    }),
  );

  expect(await ticked.promise).toBeUndefined();
  await queried.promise;
  expect(new Set(traces)).toEqual(new Set([undefined]));
});
