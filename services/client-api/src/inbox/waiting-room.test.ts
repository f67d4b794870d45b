import { afterEach, expect, test } from '@jest/globals';
import { createLogger, currentTraceparent, systemClock } from '@tidings/platform';
import { inTrace } from '@tidings/platform/testing';
import type { Database } from '@tidings/postgres/database';
import { createWaitingRoom, type ShownOut, type WaitingRoom } from './waiting-room.ts';

/** Nothing waits for anybody. */
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
const rooms = new Set<WaitingRoom>();
afterEach(async () => {
  for (const room of rooms) await room.close();
  rooms.clear();
});

function openRoom(visitorsMax: number) {
  const room = createWaitingRoom({
    db: { sql } as unknown as Pick<Database, 'sql'>,
    clock: systemClock,
    logger: createLogger('client-api', 'silent'),
    visitorsMax,
  });
  rooms.add(room);
  const shownOut: string[] = [];
  let devices = 0;
  /** Whether there was a place. */
  const enter = (applicationId: string): boolean => {
    const deviceId = `${applicationId}${(devices += 1)}`;
    const question = { applicationId, deviceId, channel: null, stream: deviceId, messagesMax: 10 };
    return (
      room.enter({
        question,
        userId: 'user',
        take: () => true,
        tick: () => undefined,
        showOut: (why: ShownOut) => shownOut.push(`${deviceId} ${why}`),
      }) !== null
    );
  };
  return { room, enter, shownOut };
}

test('one application may have all places while no other wants them, and no more', () => {
  const { enter, shownOut } = openRoom(4);

  expect(['a', 'a', 'a', 'a', 'a'].map(enter)).toEqual([true, true, true, true, false]);
  expect(shownOut).toEqual([]);
});

test('in a full room the application with the most makes room for another, until they have as many', () => {
  const { enter, shownOut } = openRoom(4);
  ['a', 'a', 'a', 'a'].forEach(enter);

  expect(['b', 'b', 'b'].map(enter)).toEqual([true, true, false]);
  // Those who have waited longest come again soonest anyway.
  expect(shownOut).toEqual(['a1 replaced', 'a2 replaced']);
  expect(enter('a')).toBe(false);
  expect(enter('c')).toBe(true);
  expect(shownOut).toHaveLength(3);
});

test('whoever comes to a closed room is shown out like those who were in it, and comes again', async () => {
  const { room, enter, shownOut } = openRoom(4);
  enter('a');
  await room.close();

  expect(enter('b')).toBe(true);
  await Promise.resolve();

  expect(shownOut).toEqual(['a1 closed', 'b2 closed']);
});

test('what all who wait share is in the trace of none of them', async () => {
  const traces: (string | undefined)[] = [];
  const asked = Promise.withResolvers<void>();
  const watched = {
    query(text: string, values: string[][]) {
      traces.push(currentTraceparent());
      asked.resolve();
      return sql.query(text, values);
    },
  };
  const room = createWaitingRoom({
    db: { sql: watched } as unknown as Pick<Database, 'sql'>,
    clock: systemClock,
    logger: createLogger('client-api', 'silent'),
    visitorsMax: 4,
  });
  rooms.add(room);
  const ticked = Promise.withResolvers<string | undefined>();
  const question = {
    applicationId: 'a',
    deviceId: 'a1',
    channel: null,
    stream: 'a1',
    messagesMax: 10,
  };

  inTrace(() =>
    room.enter({
      question,
      userId: 'user',
      take: () => true,
      tick: () => ticked.resolve(currentTraceparent()),
      showOut: () => undefined,
    }),
  );

  expect(await ticked.promise).toBeUndefined();
  await asked.promise;
  expect(new Set(traces)).toEqual(new Set([undefined]));
});
