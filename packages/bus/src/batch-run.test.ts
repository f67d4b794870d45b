import { expect, test } from '@jest/globals';
import { createRecordingLogger } from '@tidings/testing';
import { logBatchFailures, runBatch } from './batch-run.ts';
import { Leases } from './leases.ts';
import { createSlots } from './slots.ts';

test('a batch is a warning while it may pass, and an error from the fifth failure in a row on', async () => {
  const { logger, lines } = createRecordingLogger();
  const place = { topic: 'test', partition: 3 };
  let calls = 0;

  await runBatch(
    {
      ...place,
      records: [{ ...place, offset: 7n, key: null, value: Buffer.from('x'), headers: {} }],
      lease: new Leases().current(),
      heartbeat: () => Promise.resolve(),
      commit: () => Promise.resolve(),
    },
    {
      slots: createSlots(1),
      backoff: { baseMs: 1, capMs: 1 },
      async handle() {
        calls += 1;
        if (calls <= 6) throw new Error('always');
      },
      onProgress: () => undefined,
      onFailure: logBatchFailures(logger.child({ group: 'a-group' }), place),
    },
  );

  expect(lines.map(({ level, attempts }) => [level, attempts])).toEqual([
    ['warn', 1],
    ['warn', 2],
    ['warn', 3],
    ['warn', 4],
    ['error', 5],
    ['error', 6],
  ]);
  expect(lines.at(-1)).toMatchObject({ group: 'a-group', ...place, offset: '7' });
});
