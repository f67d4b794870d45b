import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { adminAccess, callApi } from '@tidings/install';
import { freePorts, ROOT_DIR } from '@tidings/local';
import { eventually } from '@tidings/testing';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { shareTidings } from '../stack/share-tidings.ts';
import { createClient, type Client } from './support/client.ts';

const WAIT = { timeoutMs: 60_000 };
const STARTED_WITHIN_MS = 20_000;

let tidings: Awaited<ReturnType<typeof shareTidings>>;
let client: Client;
const running: ChildProcess[] = [];

beforeAll(async () => {
  tidings = await shareTidings('Examples');
  client = createClient(tidings.local);
}, 240_000);
afterEach(async () => {
  for (const child of running.splice(0)) {
    child.kill('SIGTERM');
    if (child.exitCode === null) await once(child, 'exit');
  }
});

type Program = { readonly child: ChildProcess; readonly output: () => string };

/** Runs an example as its README says. */
function runExample(file: string, env: Readonly<Record<string, string>> = {}): Program {
  const { baseUrl, applicationId, serverKey, adminToken } = tidings.local;
  const child = spawn(process.execPath, [join(ROOT_DIR, 'examples', file)], {
    env: {
      PATH: process.env['PATH'],
      TIDINGS_URL: baseUrl,
      TIDINGS_APPLICATION_ID: applicationId,
      TIDINGS_SERVER_KEY: serverKey,
      TIDINGS_ADMIN_TOKEN: adminToken,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

async function startExample(file: string, env: Readonly<Record<string, string>>): Promise<Program> {
  const program = runExample(file, env);
  await eventually(
    () => {
      if (!program.output().includes('http://')) throw new Error(`no address: ${program.output()}`);
      return Promise.resolve();
    },
    { timeoutMs: STARTED_WITHIN_MS },
  );
  return program;
}

const post = async (url: string, body: unknown): Promise<Record<string, unknown>> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(answer.ok).toBe(true);
  return (await answer.json()) as Record<string, unknown>;
};

test('the shop sends what its customers do, and confirms an order once', async () => {
  const [port = 0] = await freePorts(1);
  const shop = `http://127.0.0.1:${port}`;
  const program = await startExample('shop/server.mjs', { PORT: String(port) });

  await post(`${shop}/customers`, { id: 'lena', email: 'lena@example.com', firstName: 'Lena' });
  await fetch(`${shop}/products/tea?customer=lena`);
  const order = { id: '17', customer: 'lena', product: 'tea' };
  const { campaignId } = await post(`${shop}/orders`, order);
  const again = await post(`${shop}/orders`, order);

  expect(again['campaignId']).toBe(campaignId);
  await eventually(async () => {
    const { items } = await client.read<{ items: { name: string }[] }>('users/lena/events');
    expect(items.map(({ name }) => name).toSorted()).toEqual(['order_paid', 'product_viewed']);
  }, WAIT);
  await eventually(async () => {
    const { body } = await client.sandbox<{ messages: { title: string; body: string }[] }>(
      'GET',
      `/api/messages?campaignId=${String(campaignId)}`,
    );
    expect(body.messages).toHaveLength(1);
    expect(JSON.stringify(body.messages)).toContain('Thank you, Lena: Tea is on its way.');
  }, WAIT);
  expect(program.output()).not.toMatch(/not accepted/);
}, 120_000);

test('the receiver takes each event once, and refuses what is not signed', async () => {
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}/hook`;
  const { secret } = await callApi<{ readonly secret: string }>(
    adminAccess(tidings.local.baseUrl, tidings.local),
    { method: 'POST', path: '/api/v1/webhooks', body: { url, kinds: ['message.sent'] } },
  );
  const program = await startExample('webhooks/receiver.mjs', {
    PORT: String(port),
    WEBHOOK_SECRET: secret,
  });
  await client.submit({
    customUserId: 'wanda',
    messages: [{ type: 'user', id: 'wanda-1', time: Date.now(), email: 'wanda@example.com' }],
  });

  const { body } = await client.push({
    recipients: ['wanda'],
    channel: 'EMAIL',
    message: { title: 'Hello', body: 'Hello' },
  });
  const unsigned = await fetch(url, { method: 'POST', body: '{"type":"message.sent"}' });

  expect(unsigned.status).toBe(400);
  await eventually(() => {
    const events = program.output().match(/^\{.*\}$/gm) ?? [];
    expect(events.map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({
        type: 'message.sent',
        campaignId: body.campaignId,
        customUserId: 'wanda',
        status: 'sent',
      }),
    ]);
    return Promise.resolve();
  }, WAIT);
}, 120_000);

test('a segment is made, counted and sent to, twice in a row', async () => {
  for (let run = 0; run < 2; run += 1) {
    const { child, output } = runExample('segments/segments.mjs');
    const [code] = (await once(child, 'exit')) as [number | null];

    expect({ code, output: output() }).toEqual({
      code: 0,
      output: '2 subscribers\nines: sent\njon: sent\n',
    });
  }
}, 180_000);
