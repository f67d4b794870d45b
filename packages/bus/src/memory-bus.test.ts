import { expect, test } from '@jest/globals';
import { TOPICS } from '@tidings/contracts';
import { testBus } from './bus.conformance.ts';
import { BusUnavailableError } from './bus.ts';
import { createMemoryBus } from './memory-bus.ts';

testBus('the memory bus', createMemoryBus, () => Promise.resolve());

test('a memory bus that is switched off rejects, and takes records again after', async () => {
  const bus = createMemoryBus();
  const producer = await bus.producer();

  bus.setAvailable(false);
  await expect(producer.produce(TOPICS.ingest, [{ key: 'k', value: 'v' }])).rejects.toBeInstanceOf(
    BusUnavailableError,
  );
  bus.setAvailable(true);

  expect(await producer.produce(TOPICS.ingest, [{ key: 'k', value: 'v' }])).toHaveLength(1);
});
