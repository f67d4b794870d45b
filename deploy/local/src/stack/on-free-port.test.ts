import { afterEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { onFreePort } from './on-free-port.ts';
import { freePorts } from './ports.ts';

const servers: ReturnType<typeof createServer>[] = [];
afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
  );
});

async function listen(port: number): Promise<number> {
  const server = createServer();
  servers.push(server);
  server.listen(port, '127.0.0.1');
  await Promise.race([
    once(server, 'listening'),
    once(server, 'error').then(([error]) => Promise.reject(error as Error)),
  ]);
  return port;
}

test('a port that another program took since it was found free is left to it', async () => {
  const [port = 0] = await freePorts(1);
  await listen(port);

  expect(await onFreePort(port, listen)).not.toBe(port);
});

test('a start that fails on a free port is not repeated', async () => {
  const [port = 0] = await freePorts(1);
  const tried: number[] = [];

  await expect(
    onFreePort(port, (on) => {
      tried.push(on);
      return Promise.reject(new Error('no memory'));
    }),
  ).rejects.toThrow('no memory');

  expect(tried).toEqual([port]);
});

test('it gives up after some ports', async () => {
  const [port = 0] = await freePorts(1);
  const tried: number[] = [];

  await expect(
    onFreePort(port, async (on) => {
      tried.push(await listen(on));
      throw new Error('exited');
    }),
  ).rejects.toThrow('exited');

  expect(new Set(tried).size).toBe(5);
});
