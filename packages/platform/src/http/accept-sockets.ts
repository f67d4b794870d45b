import type { Server } from 'node:http';
import {
  createServer,
  type AddressInfo,
  type ListenOptions,
  type Server as SocketServer,
  type Socket,
} from 'node:net';

/** Connections that wait to be taken; Node's 511 make the callers of a rush try again after seconds. Linux allows no more by default. */
const WAITING_CONNECTIONS_MAX = 4_096;

export type AcceptSockets = {
  readonly port: number;
  /** No new connection is taken from now on; resolves when all of them have ended. */
  close(): Promise<void>;
};

/**
 * Opens an address for a server by several listening sockets. In each turn of the event loop one connection is taken from
 * each of them (libuv), and the turns of a busy process are long: by one socket, a rush of callers would wait for seconds,
 * while those already inside keep the process busy. Where the system cannot share an address between sockets, there is one.
 * @throws Error with code EADDRINUSE
 */
export async function openAcceptSockets(
  server: Server,
  { host, port, count }: { readonly host: string; readonly port: number; readonly count: number },
): Promise<AcceptSockets> {
  const isShared = count > 1 && process.platform === 'linux';
  const options = { host, backlog: WAITING_CONNECTIONS_MAX, reusePort: isShared };
  // A shared address can be shared by mistake, too, with another process of the same user: alone, it would be refused.
  if (isShared) await checkPortIsFree({ host, port });
  await open(server, { ...options, port });
  const bound = (server.address() as AddressInfo).port;
  const others = Array.from({ length: isShared ? count - 1 : 0 }, () =>
    // As an HTTP server takes its own connections.
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
