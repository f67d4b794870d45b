import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { listen, type HttpServer } from './listen.ts';

const servers: HttpServer[] = [];
const callers: Socket[] = [];
afterEach(async () => {
  for (const caller of callers.splice(0)) caller.destroy();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function serve(acceptSockets: number, port = 0): Promise<HttpServer> {
  const server = await listen(
    (_req, res) => void res.end('ok'),
    { host: '127.0.0.1', port },
    { acceptSockets, closeDeadlineMs: 2_000 },
  );
  servers.push(server);
  return server;
}

const CALLERS = 400;

/** Event-loop turns until `callers` simultaneous requests are answered. */
async function turnsForRush(port: number): Promise<number> {
  let answered = 0;
  for (let index = 0; index < CALLERS; index += 1) {
    const caller = connect({ port, host: '127.0.0.1' });
    callers.push(caller);
    caller.on('error', () => undefined).once('data', () => (answered += 1));
    caller.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
  }
  let turns = 0;
  for (; answered < CALLERS; turns += 1) await turn();
  return turns;
}

// On Linux, where an address can be shared.
test('with many accept sockets a burst is accepted in few event-loop turns; with one socket each connection takes a turn', async () => {
  const one = await turnsForRush((await serve(1)).port);
  const many = await turnsForRush((await serve(32)).port);

  expect(one).toBeGreaterThan(CALLERS);
  expect(many).toBeLessThan(CALLERS / 3);
});

test('an address in use is rejected', async () => {
  const { port } = await serve(32);

  await expect(serve(32, port)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await expect(once(createServer().listen(port, '127.0.0.1'), 'listening')).rejects.toMatchObject({
    code: 'EADDRINUSE',
  });
});

test('a closed server accepts no connection on any socket, and its address is free', async () => {
  const { port } = await serve(32);
  await Promise.all(servers.splice(0).map((server) => server.close()));

  await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toThrow();
  expect((await fetch((await serve(1, port)).url)).status).toBe(200);
});
