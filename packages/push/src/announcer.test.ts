import { expect, test } from '@jest/globals';
import { createRecordingLogger } from '@tidings/testing';
import { createAnnouncer } from './announcer.ts';

test('a campaign is announced with its id, and drain waits for it', async () => {
  const records: unknown[] = [];
  const announcer = createAnnouncer(
    {
      append: async (record) => {
        await Promise.resolve();
        records.push(record);
      },
    },
    createRecordingLogger().logger,
  );

  announcer.announce('c1');
  await announcer.drain();

  expect(records).toEqual([{ key: 'c1', value: '{"campaignId":"c1"}' }]);
});

test('those that fail disturb nothing, and are a line in the log each time it begins', async () => {
  const { logger, lines } = createRecordingLogger();
  let isAway = true;
  const announcer = createAnnouncer(
    { append: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()) },
    logger,
  );
  const announceTwice = async (): Promise<void> => {
    announcer.announce('c1');
    announcer.announce('c2');
    await announcer.drain();
  };

  await announceTwice();
  isAway = false;
  await announceTwice();
  isAway = true;
  await announceTwice();

  expect(lines).toEqual(
    [1, 2].map(() => expect.objectContaining({ level: 'warn', campaignId: 'c1' })),
  );
});

test('while the bus hangs announcements do not pile up', () => {
  let calls = 0;
  const announcer = createAnnouncer(
    {
      append: () => {
        calls += 1;
        return new Promise(() => undefined);
      },
    },
    createRecordingLogger().logger,
  );

  for (let count = 0; count < 20_000; count += 1) announcer.announce(`c${count}`);

  expect(calls).toBe(10_000);
});
