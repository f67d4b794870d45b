import { expect, test } from '@jest/globals';
import type { Producer } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts';
import { createRecordingLogger } from '@tidings/testing';
import { createAnnouncer } from './announcer.ts';

test('a campaign is announced with its id, and drain waits for it', async () => {
  const calls: unknown[] = [];
  const announcer = createAnnouncer(
    {
      produce: async (topic, records) => {
        await Promise.resolve();
        calls.push([topic, records]);
        return [];
      },
    },
    createRecordingLogger().logger,
  );

  announcer.announce('c1');
  await announcer.drain();

  expect(calls).toEqual([[TOPICS.campaigns, [{ key: 'c1', value: '{"campaignId":"c1"}' }]]]);
});

test('one that fails is logged and disturbs nothing', async () => {
  const { logger, lines } = createRecordingLogger();
  const announcer = createAnnouncer({ produce: () => Promise.reject(new Error('away')) }, logger);

  announcer.announce('c1');
  await announcer.drain();

  expect(lines).toEqual([expect.objectContaining({ level: 'warn', campaignId: 'c1' })]);
});

test('while the bus hangs announcements do not pile up', async () => {
  let calls = 0;
  const hanging: Pick<Producer, 'produce'> = {
    produce: () => {
      calls += 1;
      return new Promise(() => undefined);
    },
  };
  const announcer = createAnnouncer(hanging, createRecordingLogger().logger);

  for (let count = 0; count < 2_000; count += 1) announcer.announce(`c${count}`);

  expect(calls).toBe(1_000);
});
