import { createServer, type AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { freePortFrom, freePorts, isFree } from './ports.ts';

const servers: ReturnType<typeof createServer>[] = [];

async function occupyAnyPort(): Promise<number> {
  const server = createServer();
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  return (server.address() as AddressInfo).port;
}

afterEach(async () => {
  await Promise.all(
    servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))),
  );
});

test('a port in use is not free, and the next free one is found', async () => {
  const taken = await occupyAnyPort();

  expect(await isFree(taken)).toBe(false);
  const found = await freePortFrom(taken);

  expect(found).not.toBe(taken);
  expect(await isFree(found)).toBe(true);
});

test('of two that look for the same port, each gets its own', async () => {
  const [preferred = 0] = await freePorts(1);

  const found = await Promise.all([freePortFrom(preferred + 1), freePortFrom(preferred + 1)]);

  expect(new Set(found).size).toBe(2);
  expect(await freePortFrom(found[0] ?? 0)).not.toBe(found[0]);
});

test('free ports are distinct and below the ephemeral range', async () => {
  const ports = await freePorts(30);

  expect(new Set(ports).size).toBe(30);
  expect(Math.max(...ports)).toBeLessThan(32_000);
});
