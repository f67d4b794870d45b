import { afterEach, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamResult, Target } from './plan.ts';
import { runPlan } from './run-plan.ts';

const REQUESTS_PER_SECOND = 200;
const MEASURED_MS = 1_000;
const STALL_MS = 500;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function targetOf(answer: RequestListener): Promise<Target> {
  const server = createServer(answer);
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: '127.0.0.1',
    port,
    headers: {},
    messagesPerRequest: 2,
    users: 3,
    idPrefix: 'test',
    content: 'events',
  };
}

async function runOpen(target: Target, connectionsMax: number): Promise<StreamResult | undefined> {
  const arrival = { type: 'open', requestsPerSecond: REQUESTS_PER_SECOND, connectionsMax } as const;
  const { streams } = await runPlan({
    streams: [{ name: 'open', target, arrival }],
    warmUpMs: 0,
    measuredMs: MEASURED_MS,
  });
  return streams[0];
}

describe('the open loop', () => {
  test('keeps its rate, and every request has unique ids', async () => {
    const ids = new Set<string>();
    const target = await targetOf(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
        messages: { id: string }[];
      };
      for (const { id } of messages) ids.add(id);
      res.end('{}');
    });

    const result = await runOpen(target, 50);

    const expected = (REQUESTS_PER_SECOND * MEASURED_MS) / 1000;
    expect(result).toMatchObject({
      due: expected,
      accepted: expected,
      refused: {},
      unanswered: 0,
      unsent: 0,
    });
    expect(ids.size).toBe(expected * target.messagesPerRequest);
  });

  test('a stall of the server counts for every request due meanwhile, even without a free connection', async () => {
    const startedAt = performance.now();
    const target = await targetOf((req, res) => {
      req.resume();
      const stallMs = Math.max(0, startedAt + STALL_MS - performance.now());
      setTimeout(() => res.end('{}'), stallMs);
    });

    const result = await runOpen(target, 1);

    // Half of the requests were due during the stall; a closed loop with one connection would have
    // timed one of them.
    // On a slow machine one connection is too little, and the last requests are given up.
    const { accepted = 0, unsent = 0 } = result ?? {};
    expect(accepted + unsent).toBe((REQUESTS_PER_SECOND * MEASURED_MS) / 1000);
    expect(result?.latency.p90Ms).toBeGreaterThan(STALL_MS / 2);
  });

  test('errors are counted by status and have no latency', async () => {
    const target = await targetOf((req, res) => {
      req.resume();
      res.statusCode = 503;
      res.setHeader('Connection', 'close');
      res.end('{}');
    });

    const result = await runOpen(target, 20);

    expect(result).toMatchObject({
      accepted: 0,
      refused: { 503: result?.due },
      unanswered: 0,
      latency: { p99Ms: 0 },
    });
  });
});
