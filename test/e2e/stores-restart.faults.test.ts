/** @needs kafka redis */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '@tidings/testing';
import { startTidings } from '@tidings/tools/stack/start-tidings';
import { createClient, registerUsers, type Client } from './support/client.ts';

type Running = Awaited<ReturnType<typeof startTidings>>;
let tidings: Running;
let client: Client;
const lines: string[] = [];
/**
 * Time for a store to restart and the services to reconnect; log recovery after a crash takes
 * seconds.
 */
const BACK_WITHIN_MS = 60_000;

beforeAll(async () => {
  tidings = await startTidings({
    name: 'stores-restart',
    form: 'services-on-kafka',
    keepsStores: true,
    onLine: (line) => lines.push(line),
    env: { KAFKA_SESSION_TIMEOUT_MS: '6000', KAFKA_HEARTBEAT_INTERVAL_MS: '1000' },
    services: ['gateway', 'users-consumer', 'events-consumer', 'campaigns', 'worker-email'],
  });
  client = createClient(tidings.local);
  await registerUsers(client, ['ada']);
  await eventually(() => client.read('users/ada'));
}, 120_000);
afterAll(() => tidings?.stop(), 60_000);

test.each(['postgres', 'kafka', 'redis'] as const)(
  'a killed %s under npm start restarts by itself, with its data, and everything works again',
  async (name) => {
    const store = tidings.stack.parts[name];
    if (store === undefined) throw new Error(`this test needs a ${name} of its own`);
    const { pid } = store;

    store.kill('SIGKILL');
    await eventually(() => expect(lines).toContain(`${name} is ready again`), {
      timeoutMs: BACK_WITHIN_MS,
    });
    const accepted = await eventually(
      async () => {
        const answer = await client.submit({
          customUserId: 'ada',
          messages: [
            { type: 'action', id: `after-${name}`, time: Date.now(), customName: 'came_back' },
          ],
        });
        expect(answer.status).toBe(200);
        return answer;
      },
      { timeoutMs: BACK_WITHIN_MS, intervalMs: 200 },
    );
    const push = await eventually(
      async () => {
        const answer = await client.push({
          recipients: ['ada'],
          channel: 'EMAIL',
          message: { body: `${name} was killed.` },
        });
        expect(answer.status).toBe(200);
        return answer;
      },
      { timeoutMs: BACK_WITHIN_MS, intervalMs: 200 },
    );

    await eventually(
      async () => expect((await client.ingestReport(accepted.body.requestId)).complete).toBe(true),
      { timeoutMs: BACK_WITHIN_MS, intervalMs: 200 },
    );
    await eventually(
      async () => expect((await client.campaign(push.body.campaignId)).counts.successful).toBe(1),
      { timeoutMs: BACK_WITHIN_MS, intervalMs: 200 },
    );
    expect(store.pid).not.toBe(pid);
    expect(lines).toContain(`${name} exited (SIGKILL); restarting in 250 ms`);
  },
  300_000,
);
