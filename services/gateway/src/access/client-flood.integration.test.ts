/** @needs redis */

import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createApiKey } from '@tidings/accounts/api-keys';
import { updateApplication } from '@tidings/people/update-application';
import { systemIds } from '@tidings/platform';
import type { Database } from '@tidings/postgres/database';
import { connectTestDatabase, createTestApplication } from '@tidings/testing';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startGatewayProcess, type GatewayProcess } from '../testing/gateway-process.ts';
import { batchWith } from '../testing/test-gateway.ts';

jest.setTimeout(60_000);

/** Low, so a busy machine exceeds it too. */
const RATE = { perSecond: 100, burst: 200 };
const CONNECTIONS = 64;
const BACK_END_REQUESTS = 50;
const BACK_END_EVERY_MS = 100;

let db: Database;
let gateway: GatewayProcess;

beforeAll(async () => {
  db = connectTestDatabase();
  gateway = await startGatewayProcess();
});
afterAll(async () => {
  await gateway.kill();
  await db.close();
});

async function createKeys(): Promise<{
  readonly applicationId: string;
  readonly server: string;
  readonly client: string;
}> {
  const { applicationId } = await createTestApplication(db);
  await updateApplication(db, applicationId, { settings: { rates: { ingest: RATE } } });
  const [server, client] = [
    await createApiKey(db, { applicationId, type: 'server', name: 'back end' }),
    await createApiKey(db, { applicationId, type: 'client', name: 'page' }),
  ];
  if (server === 'too_many' || client === 'too_many') throw new Error('there are keys already');
  return { applicationId, server: server.key, client: client.key };
}

async function postWith(
  { applicationId, key }: { readonly applicationId: string; readonly key: string },
  body: string,
): Promise<number> {
  const answer = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      'X-Application-Id': applicationId,
      'X-API-Key': key,
      'Content-Type': 'application/json',
    },
    body,
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Opens connections with complete headers that declare a body and never send it. */
async function openUnfinished(
  count: number,
  {
    applicationId,
    key,
    framing,
  }: { readonly applicationId: string; readonly key: string; readonly framing: string },
): Promise<Socket[]> {
  const { hostname, port } = new URL(gateway.url);
  const head = [
    'POST / HTTP/1.1',
    `Host: ${hostname}`,
    `X-Application-Id: ${applicationId}`,
    `X-API-Key: ${key}`,
    'Content-Type: application/json',
    framing,
    '',
    '',
  ].join('\r\n');
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      await new Promise((resolve) => socket.write(head, resolve));
      return socket;
    }),
  );
}

test.each(['Content-Length: 1048576', 'Transfer-Encoding: chunked'])(
  'unfinished bodies of the Client key (%s) do not delay the back end',
  async (framing) => {
    const { applicationId, server, client } = await createKeys();
    const sockets = await openUnfinished(16, { applicationId, key: client, framing });
    const answers: number[] = [];
    let slowestMs = 0;

    // The first ones may arrive before the gateway has read the headers of the sockets.
    for (let request = 0; request < BACK_END_REQUESTS; request += 1) {
      const startedAt = performance.now();
      answers.push(
        await postWith(
          { applicationId, key: server },
          JSON.stringify(batchWith({ id: systemIds.uuid() })),
        ),
      );
      slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    }

    sockets.forEach((socket) => socket.destroy());
    expect(answers).toEqual(Array(BACK_END_REQUESTS).fill(200));
    expect(slowestMs).toBeLessThan(1_500);
  },
);

test('a flood of bad requests with the Client key leaves the back end all of its rate', async () => {
  const { applicationId, server, client } = await createKeys();
  const post = (key: string, body: string): Promise<number> =>
    postWith({ applicationId, key }, body);
  let isOver = false;
  const flooded = { 400: 0, 429: 0 } as Record<number, number>;
  const flood = async (): Promise<void> => {
    while (!isOver) {
      const status = await post(client, '{');
      flooded[status] = (flooded[status] ?? 0) + 1;
    }
  };
  const floods = Array.from({ length: CONNECTIONS }, flood);
  // From the first rejection on, the share of Client keys is used up.
  const until = performance.now() + 20_000;
  while (flooded[429] === 0 && performance.now() < until) await delay(20);

  const answers: number[] = [];
  for (let request = 0; request < BACK_END_REQUESTS; request += 1) {
    const [status] = await Promise.all([
      post(server, JSON.stringify(batchWith({ id: systemIds.uuid() }))),
      delay(BACK_END_EVERY_MS),
    ]);
    answers.push(status);
  }
  isOver = true;
  await Promise.all(floods);

  expect(answers).toEqual(Array(BACK_END_REQUESTS).fill(200));
  expect(Object.keys(flooded)).toEqual(['400', '429']);
  expect(flooded[429]).toBeGreaterThan(RATE.burst);
});
