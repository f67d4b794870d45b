import type { Server } from 'node:http';
import {
  createServer,
  type AddressInfo,
  type ListenOptions,
  type Server as SocketServer,
  type Socket,
} from 'node:net';

/**
 * Listen backlog. With Node's default of 511, clients in a burst retry only after seconds. Linux
 * caps it at 4,096 by default.
 */
const WAITING_CONNECTIONS_MAX = 4_096;

export type AcceptSockets = {
  readonly port: number;
  /** Stops accepting connections; resolves when all have ended. */
  close(): Promise<void>;
};

/**
 * Opens several listening sockets on one address. libuv accepts one connection per socket and
 * event-loop turn, and the turns of a busy process are long: with one socket, a burst of callers
 * would wait for seconds. Uses one socket where the system cannot share an address.
 * @throws Error with code EADDRINUSE
 */
export async function openAcceptSockets(
  server: Server,
  { host, port, count }: { readonly host: string; readonly port: number; readonly count: number },
): Promise<AcceptSockets> {
  const isShared = count > 1 && process.platform === 'linux';
  const options = { host, backlog: WAITING_CONNECTIONS_MAX, reusePort: isShared };
  // Another process of the same user could share the address by mistake. Opening it without sharing
  // first detects that.
  if (isShared) await checkPortIsFree({ host, port });
  await open(server, { ...options, port });
  const bound = (server.address() as AddressInfo).port;
  const others = Array.from({ length: isShared ? count - 1 : 0 }, () =>
    // The same options as the accept socket of an HTTP server.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket: Socket) =>
      server.emit('connection', socket),
    ),
  );
  await Promise.all(others.map((other) => open(other, { ...options, port: bound })));
  return {
    port: bound,
    async close() {
      await Promise.all([server, ...others].map(closed));
    },
  };
}

async function checkPortIsFree(address: {
  readonly host: string;
  readonly port: number;
}): Promise<void> {
  const server = createServer();
  await open(server, address);
  await closed(server);
}

function open(server: SocketServer, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: SocketServer): Promise<void> {
  return new Promise((resolve) => void server.close(() => resolve()));
}
