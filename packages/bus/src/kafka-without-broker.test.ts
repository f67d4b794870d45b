import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { createRecordingLogger } from '@tidings/testing';
import { BusUnavailableError } from './bus.ts';
import { createKafkaBus } from './kafka-bus.ts';

const REQUEST_TIMEOUT_MS = 1_000;

/** A closed port of this machine. */
async function findClosedPort(): Promise<number> {
  const server = net.createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  await new Promise((resolve) => server.close(resolve));
  return address.port;
}

async function createBusWithoutKafka() {
  const { logger, lines } = createRecordingLogger();
  const bus = createKafkaBus({
    brokers: [`127.0.0.1:${await findClosedPort()}`],
    clientId: 'bus-test',
    logger,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 200,
    handlerStallMs: 60_000,
  });
  return { bus, lines };
}

test('while Kafka is unavailable a producer starts at once, its calls fail in time, and it stops', async () => {
  const { bus, lines } = await createBusWithoutKafka();
  const startedAt = performance.now();

  const producer = await bus.producer();
  const createdMs = performance.now() - startedAt;
  await expect(producer.produce('any', [{ key: 'k', value: 'v' }])).rejects.toBeInstanceOf(
    BusUnavailableError,
  );
  const producedMs = performance.now() - startedAt;
  await bus.disconnect();

  expect(createdMs).toBeLessThan(REQUEST_TIMEOUT_MS / 2);
  expect(producedMs).toBeLessThan(2 * REQUEST_TIMEOUT_MS);
  expect(lines).not.toContainEqual(
    expect.objectContaining({ msg: 'disconnecting from the broker failed' }),
  );
});
