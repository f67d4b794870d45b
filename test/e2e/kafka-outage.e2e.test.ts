import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { startTidings } from '../stack/start-tidings.ts';
import { createClient, registerUsers, type Client } from './support/client.ts';
import { startEventStream } from './support/event-stream.ts';
import { compareWithLedger, storedEventIds } from './support/oracles.ts';

const OUTAGE_MS = 20_000;
/** Memory the gateway may gain while Kafka is away: its admission bound of 24 MiB, times what a pending request costs. */
const GROWTH_BYTES_MAX = 150 * 1024 * 1024;

type Running = Awaited<ReturnType<typeof startTidings>>;
let tidings: Running;
let client: Client;

beforeAll(async () => {
  tidings = await startTidings({ name: 'kafka-outage', env: { KAFKA_SESSION_TIMEOUT_MS: '6000', KAFKA_HEARTBEAT_INTERVAL_MS: '1000' } });
  client = createClient(tidings.local);
}, 120_000);
afterAll(() => tidings?.stop(), 60_000);

async function gatewayMemoryBytes(): Promise<number> {
  const { metricsUrl = '' } = tidings.supervisor.list().find(({ name }) => name === 'gateway') ?? {};
  const metrics = await (await fetch(metricsUrl)).text();
  return Number(/^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1]);
}

test('while Kafka is away batches are refused and pushes accepted; after its return nothing is lost', async () => {
  const { kafka } = tidings.stack.parts;
  if (kafka === undefined) throw new Error('this test needs a Kafka of its own');
  await registerUsers(client, ['ada']);
  await eventually(() => client.read('users/ada'));
  const stream = startEventStream(client, { customUserIds: ['ada'], intervalMs: 10, eventsPerBatch: 100 });
  await eventually(() => expect(stream.ledger.filter(({ status }) => status === 200).length).toBeGreaterThan(50));
  const memoryBefore = await gatewayMemoryBytes();

  const gatewayPid = tidings.supervisor.list().find(({ name }) => name === 'gateway')?.pid;
  await kafka.stop();
  const goneAt = performance.now();
  const push = await client.push({ recipients: ['ada'], channel: 'EMAIL', message: { body: 'Accepted while Kafka was away.' } });
  const refused = await client.submit({ customUserId: 'ada', messages: [{ type: 'action', id: 'x', customName: 'y' }] });
  await delay(OUTAGE_MS - (performance.now() - goneAt));
  const memoryDuring = await gatewayMemoryBytes();
  const startingAt = performance.now();
  await kafka.start();
  const backAt = performance.now();
  const firstAfter = await eventually(
    () => {
      const first = stream.ledger.find(({ status, answeredAt }) => status === 200 && answeredAt > startingAt);
      if (first === undefined) throw new Error('no 200 yet');
      return first;
    },
    { timeoutMs: 30_000 },
  );
  await delay(1_000);
  await stream.stop();

  expect(push.status).toBe(200);
  // Not the front door's 503: the gateway was there all the time.
  expect(tidings.supervisor.list().find(({ name }) => name === 'gateway')?.pid).toBe(gatewayPid);
  expect(refused).toMatchObject({ status: 400, body: { errors: [{ pointer: '/messages/0/time', code: 'required' }] } });
  const during = stream.ledger.filter(({ sentAt, answeredAt }) => sentAt > goneAt && answeredAt < startingAt);
  expect(during.length).toBeGreaterThan(100);
  expect(new Set(during.map(({ status }) => status))).toEqual(new Set([503]));
  expect(Math.max(...stream.ledger.map(({ tookMs }) => tookMs))).toBeLessThan(10_000);
  expect(stream.ledger.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
  expect(memoryDuring - memoryBefore).toBeLessThan(GROWTH_BYTES_MAX);
  expect(firstAfter.answeredAt - backAt).toBeLessThan(5_000);
  await eventually(async () => expect((await client.campaign(push.body.campaignId)).counts.successful).toBe(1), { timeoutMs: 60_000 });
  await eventually(
    async () => {
      expect(compareWithLedger(stream.ledger, await storedEventIds(tidings.local, 'stream-'))).toEqual({ lost: [], twice: [], invented: [] });
    },
    { timeoutMs: 60_000, intervalMs: 250 },
  );
}, 240_000);

test('a gateway and a consumer that start while Kafka is away refuse, accept pushes, and take up work when it is back', async () => {
  const { kafka } = tidings.stack.parts;
  if (kafka === undefined) throw new Error('this test needs a Kafka of its own');
  const event = (id: string) => ({ customUserId: 'ada', messages: [{ type: 'action', id, time: Date.now(), customName: 'came_back' }] });
  await kafka.stop();

  tidings.supervisor.kill('gateway', 'SIGKILL');
  tidings.supervisor.kill('events-consumer', 'SIGKILL');
  await Promise.all([tidings.supervisor.ready('gateway'), tidings.supervisor.ready('events-consumer')]);
  const refused = await client.submit(event('while-away'));
  const push = await client.push({ recipients: ['ada'], channel: 'EMAIL', message: { body: 'Accepted by a gateway that never saw Kafka.' } });
  await kafka.start();
  const accepted = await eventually(
    async () => {
      const answer = await client.submit(event('stream-after-return'));
      expect(answer.status).toBe(200);
      return answer;
    },
    { timeoutMs: 5_000, intervalMs: 100 },
  );

  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).not.toBeNull();
  expect(push.status).toBe(200);
  await eventually(async () => expect((await client.ingestReport(accepted.body.requestId)).complete).toBe(true), { timeoutMs: 60_000, intervalMs: 200 });
  await eventually(async () => expect((await client.campaign(push.body.campaignId)).counts.successful).toBe(1), { timeoutMs: 60_000, intervalMs: 200 });
}, 180_000);
