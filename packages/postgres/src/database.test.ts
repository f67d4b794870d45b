import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { Client } from 'pg';
import { connectDatabase, isDatabaseUnavailable } from './database.ts';

/** A message of the Postgres protocol. */
function message(type: string, body: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), size, body]);
}

const GREETING = [message('R', Buffer.alloc(4)), message('Z', Buffer.from('I'))];
const END = message(
  'E',
  Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'),
);

let server: Server;
beforeEach(async () => {
  server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([...GREETING, END])));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(() => void server.close());

test.each(['transaction', 'statement'])(
  'a connection that ends in the packet of its greeting fails the %s and nothing else',
  async (kind) => {
    const { port } = server.address() as AddressInfo;
    const db = connectDatabase({
      databaseUrl: `postgresql://someone@127.0.0.1:${port}/test`,
      poolMax: 1,
      applicationName: 'test',
    });

    const answer =
      kind === 'transaction' ? db.transaction(async () => 'done') : db.sql.query('select 1');

    await expect(answer).rejects.toThrow(/connection/i);
    await db.close();
  },
);

test('a server that answers no login in time is unavailable to a single connection', async () => {
  const silent = createServer((socket) => void socket.on('error', () => undefined));
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  const client = new Client({ host: '127.0.0.1', port, connectionTimeoutMillis: 50 });
  client.on('error', () => undefined);

  const error: unknown = await client.connect().catch((reason: unknown) => reason);
  silent.close();

  expect(isDatabaseUnavailable(error)).toBe(true);
  expect(isDatabaseUnavailable(new Error('the token: timeout expired'))).toBe(false);
});
