import { createServer, type Server } from 'node:net';
import { reservePort } from './port-reservations.ts';

// Below the range of ephemeral ports. In that range, a client that retries a stopped local server
// can connect to itself, and the server finds its port taken when it restarts.
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;

/** True if a listener on loopback could use the port now. */
export async function isFree(port: number): Promise<boolean> {
  const server = await listenOn(port);
  if (server === undefined) return false;
  await close(server);
  return true;
}

/**
 * `preferred` if it is free, else one of the next few ports, else any free port. Reserved while this
 * process lives: of two starts at once each gets its own.
 */
export async function freePortFrom(preferred: number): Promise<number> {
  for (let port = preferred; port < preferred + 20; port += 1) {
    if (await takePort(port)) return port;
  }
  const [port = 0] = await freePorts(1);
  return port;
}

/** Reserves a port while this process lives. False if it is in use, or another start has it. */
export async function takePort(port: number): Promise<boolean> {
  const server = await listenOn(port);
  if (server === undefined) return false;
  const isOwn = reservePort(port);
  await close(server);
  return isOwn;
}

/** Distinct free ports, reserved while this process lives. */
export async function freePorts(
  count: number,
  random: () => number = Math.random,
): Promise<readonly number[]> {
  const held = new Map<number, Server>();
  while (held.size < count) {
    const port = FIRST_PORT + Math.floor(random() * (LAST_PORT - FIRST_PORT));
    const server = held.has(port) ? undefined : await listenOn(port);
    if (server === undefined) continue;
    if (reservePort(port)) held.set(port, server);
    else await close(server);
  }
  await Promise.all([...held.values()].map(close));
  return [...held.keys()];
}

function listenOn(port: number): Promise<Server | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1' }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
