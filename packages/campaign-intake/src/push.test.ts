import { describe, expect, test } from '@jest/globals';
import { createRecordingLogger } from '@tidings/testing';
import { createCampaignQueue } from './campaign-queue.ts';
import { expiryMs } from '@tidings/contracts/push/expiry';

describe('announcer', () => {
  test('a campaign is announced with its id, and drain waits for it', async () => {
    const records: unknown[] = [];
    const announcer = createCampaignQueue(
      {
        append: async (record) => {
          await Promise.resolve();
          records.push(record);
        },
      },
      createRecordingLogger().logger,
    );

    announcer.enqueue('c1');
    await announcer.drain();

    expect(records).toEqual([{ key: 'c1', value: '{"campaignId":"c1"}' }]);
  });

  test('those that fail disturb nothing, and are a line in the log each time it begins', async () => {
    const { logger, lines } = createRecordingLogger();
    let isAway = true;
    const announcer = createCampaignQueue(
      { append: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve()) },
      logger,
    );
    const announceTwice = async (): Promise<void> => {
      announcer.enqueue('c1');
      announcer.enqueue('c2');
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
    const announcer = createCampaignQueue(
      {
        append: () => {
          calls += 1;
          return new Promise(() => undefined);
        },
      },
      createRecordingLogger().logger,
    );

    for (let count = 0; count < 20_000; count += 1) announcer.enqueue(`c${count}`);

    expect(calls).toBe(10_000);
  });
});

describe('expiry', () => {
  const HOUR_MS = 3_600_000;

  test.each([
    ['SMS', undefined, 24 * HOUR_MS],
    ['EMAIL', undefined, 72 * HOUR_MS],
    ['WEB_PUSH', undefined, 28 * 24 * HOUR_MS],
    ['APP_PUSH', undefined, 30 * 24 * HOUR_MS],
    ['IN_APP', undefined, 30 * 24 * HOUR_MS],
    ['ON_SITE', undefined, 30 * 24 * HOUR_MS],
    ['WEB_HOOK', undefined, 30 * 24 * HOUR_MS],
    ['APP_PUSH', null, 30 * 24 * HOUR_MS],
    ['APP_PUSH', 0, 60_000],
    ['APP_PUSH', 1, 1_000],
    ['APP_PUSH', 2_419_200, 2_419_200_000],
    ['APP_PUSH', 9_999_999_999, 2_419_200_000],
    ['EMAIL', 5, 72 * HOUR_MS],
  ] as const)('%s with a ttl of %s may be handed over for %d ms', (channel, ttl, expected) => {
    expect(expiryMs(channel, { body: 'b', ttl })).toBe(expected);
  });
});
