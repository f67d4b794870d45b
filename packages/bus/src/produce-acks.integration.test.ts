/** @needs kafka */

import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import kafkajs, { type Admin } from 'kafkajs';
import { createLogger, readEnvironment } from '@tidings/platform';
import { createKafkaProducer } from './kafka-producer.ts';

const PRODUCE = 0;
const ALL_IN_SYNC = -1;

const brokers = (readEnvironment()['KAFKA_BROKERS'] ?? '').split(',');
const admin: Admin = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
const newSockets = channel('net.client.socket');
let stopListening = (): void => undefined;

beforeAll(() => admin.connect());
afterEach(() => stopListening());
afterAll(() => admin.disconnect());

test('every produce request on the wire requires acks from all in-sync replicas', async () => {
  const topic = `acks-${randomUUID()}`;
  await admin.createTopics({ topics: [{ topic, numPartitions: 2 }], waitForLeaders: true });
  const requests = readRequests();
  const producer = createKafkaProducer({
    brokers,
    clientId: 'acks-test',
    logger: createLogger('acks-test', 'error'),
    requestTimeoutMs: 5_000,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 200,
    handlerStallMs: 60_000,
  });

  await producer.produce(topic, [
    { key: 'a', value: 'one' },
    { key: null, value: 'two' },
  ]);
  await producer.produce(topic, [{ key: 'b', value: 'three' }]);
  await producer.disconnect();
  await admin.deleteTopics({ topics: [topic] });

  const produced = requests().filter(({ apiKey }) => apiKey === PRODUCE);
  expect(produced.length).toBeGreaterThanOrEqual(2);
  expect(produced.map(({ body }) => acksOf(body))).toEqual(produced.map(() => ALL_IN_SYNC));
}, 30_000);

type Request = { readonly apiKey: number; readonly body: Buffer };

/** The requests sent on connections opened from now on. */
function readRequests(): () => Request[] {
  const connections: Uint8Array[][] = [];
  const listen = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    const written: Uint8Array[] = [];
    connections.push(written);
    // Not earlier: connecting restores the original `write`.
    socket.once('connect', () => {
      socket.write = new Proxy(socket.write, {
        apply(write, self, args) {
          written.push(args[0] as Uint8Array);
          return Reflect.apply(write, self, args);
        },
      });
    });
  };
  newSockets.subscribe(listen);
  stopListening = () => newSockets.unsubscribe(listen);
  return () => connections.flatMap((written) => [...parseRequests(Buffer.concat(written))]);
}

/** Kafka protocol, request header v1: length, API key, API version, correlation id, client id; then the body. */
function* parseRequests(stream: Buffer): Generator<Request> {
  for (let at = 0; at < stream.length; at += 4 + stream.readInt32BE(at)) {
    const bytes = stream.subarray(at, at + 4 + stream.readInt32BE(at));
    const clientIdBytes = Math.max(0, bytes.readInt16BE(12));
    yield { apiKey: bytes.readInt16BE(4), body: bytes.subarray(14 + clientIdBytes) };
  }
}

/** Produce request v3 to v8: transactional id (nullable string), acks, timeout, data. */
function acksOf(body: Buffer): number {
  const transactionalIdBytes = Math.max(0, body.readInt16BE(0));
  return body.readInt16BE(2 + transactionalIdBytes);
}
