/** @needs kafka redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { createClient, registerUsers, type Client } from './support/client.ts';

type Running = Awaited<ReturnType<typeof startTidings>>;
let tidings: Running;
let client: Client;

beforeAll(async () => {
  tidings = await startTidings({
    name: 'kafka-outage',
    form: 'services-on-kafka',
    env: { KAFKA_SESSION_TIMEOUT_MS: '6000', KAFKA_HEARTBEAT_INTERVAL_MS: '1000' },
  });
  client = createClient(tidings.local);
  await registerUsers(client, ['ada']);
  await eventually(() => client.read('users/ada'));
}, 120_000);
afterAll(() => tidings?.stop(), 60_000);

// ingest.faults.test.ts covers the responses to batches meanwhile.
test('while Kafka is down, pushes are accepted and sent later; invalid ones are rejected', async () => {
  const { kafka } = tidings.stack.parts;
  if (kafka === undefined) throw new Error('this test needs a Kafka of its own');
  const gatewayPid = tidings.supervisor.list().find(({ name }) => name === 'gateway')?.pid;

  await kafka.stop();
  const push = await client.push({
    recipients: ['ada'],
    channel: 'EMAIL',
    message: { body: 'Accepted while Kafka was away.' },
  });
  const refused = await client.submit({
    customUserId: 'ada',
    messages: [{ type: 'action', id: 'x', customName: 'y' }],
  });
  await kafka.start();

  expect(push.status).toBe(200);
  expect(refused).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: '/messages/0/time', code: 'required' }] },
  });
  await eventually(
    async () => expect((await client.campaign(push.body.campaignId)).counts.successful).toBe(1),
    { timeoutMs: 60_000 },
  );
  expect(tidings.supervisor.list().find(({ name }) => name === 'gateway')?.pid).toBe(gatewayPid);
}, 120_000);

test('a gateway and a consumer that start without Kafka accept pushes, reject batches, and recover', async () => {
  const { kafka } = tidings.stack.parts;
  if (kafka === undefined) throw new Error('this test needs a Kafka of its own');
  const event = (id: string) => ({
    customUserId: 'ada',
    messages: [{ type: 'action', id, time: Date.now(), customName: 'came_back' }],
  });
  await kafka.stop();

  tidings.supervisor.kill('gateway', 'SIGKILL');
  tidings.supervisor.kill('events-consumer', 'SIGKILL');
  await Promise.all([
    tidings.supervisor.ready('gateway'),
    tidings.supervisor.ready('events-consumer'),
  ]);
  const refused = await client.submit(event('while-away'));
  const push = await client.push({
    recipients: ['ada'],
    channel: 'EMAIL',
    message: { body: 'Accepted by a gateway that never saw Kafka.' },
  });
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
  await eventually(
    async () => expect((await client.ingestReport(accepted.body.requestId)).complete).toBe(true),
    { timeoutMs: 60_000, intervalMs: 200 },
  );
  await eventually(
    async () => expect((await client.campaign(push.body.campaignId)).counts.successful).toBe(1),
    { timeoutMs: 60_000, intervalMs: 200 },
  );
}, 180_000);
