import { expect, test } from '@jest/globals';
import { createRecordingLogger } from '@tidings/testing';
import { readIngestLag } from './ingest-lag.ts';

const { logger } = createRecordingLogger();
const topicOffsets = async () =>
  new Map([
    [0, { low: 10n, high: 100n }],
    [1, { low: 0n, high: 50n }],
  ]);

test('is what each consumer has still to read, from the first record that is kept where it has read none', async () => {
  const committedOffsets = async (group: string) =>
    new Map(
      group === 'users-consumer'
        ? [
            [0, 90n],
            [1, 50n],
          ]
        : [[0, 100n]],
    );

  expect(await readIngestLag({ topicOffsets, committedOffsets }, logger)).toEqual({
    'users-consumer': 10,
    'events-consumer': 50,
  });
});

test('is not known while Kafka is away', async () => {
  const committedOffsets = () => Promise.reject(new Error('no broker'));

  expect(await readIngestLag({ topicOffsets, committedOffsets }, logger)).toBeNull();
});
