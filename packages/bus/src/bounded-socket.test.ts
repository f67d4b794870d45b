import { once } from 'node:events';
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { createSocketFactory } from './bounded-socket.ts';
import { until } from './until.ts';

const UNSENT_BYTES_MAX = 1024 * 1024;

test('a connection to a peer that reads nothing ends before it holds more than the bound', async () => {
  await using server = net.createServer({ pauseOnConnect: true });
  const peers: net.Socket[] = [];
  server.on('connection', (peer) => peers.push(peer.on('error', () => undefined)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  let failure: Error | undefined;
  let heldMax = 0;

  const socket = createSocketFactory(UNSENT_BYTES_MAX)({
    host: '127.0.0.1',
    port: address.port,
    onConnect: () => undefined,
  } as never);
  socket.on('error', (error) => (failure = error));
  await until(() => {
    socket.write(Buffer.alloc(64 * 1024));
    heldMax = Math.max(heldMax, socket.writableLength);
    return failure !== undefined;
  });

  expect(failure?.message).toBe('the broker has stopped reading');
  expect(heldMax).toBeLessThanOrEqual(UNSENT_BYTES_MAX + 64 * 1024);
  expect(socket.destroyed).toBe(true);
  for (const peer of peers) peer.destroy();
});
