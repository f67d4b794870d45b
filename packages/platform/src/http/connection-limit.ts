import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter } from '../metrics.ts';

const rejectedTotal = new Counter({
  name: 'tidings_http_rejected_connections_total',
  help: 'Connections above the limit, by result: answered (503), or closed at once if too many of those were open.',
  labelNames: ['how'] as const,
});

/** Connections above the limit that stay open to get a 503; further ones are closed at once. */
const REJECTED_OPEN_MIN = 16;
const REJECTED_OPEN_SHARE = 0.1;
/** Time for a rejected connection to send its request. */
const REJECTED_OPEN_MS = 5_000;

/**
 * Bounds the open connections of a server. The server answers requests on connections above the
 * limit with 503.
 */
export function limitConnections(
  server: Server,
  connectionsMax: number,
): { isOverLimit(socket: Socket): boolean } {
  const rejected = new WeakSet<Socket>();
  // Not `maxConnections`: each listening socket would count separately.
  const openMax =
    connectionsMax + Math.max(REJECTED_OPEN_MIN, Math.ceil(connectionsMax * REJECTED_OPEN_SHARE));
  let open = 0;
  let taken = 0;
  server.prependListener('connection', (socket: Socket) => {
    if (open >= openMax) {
      rejectedTotal.inc({ how: 'closed' });
      socket.destroy();
      return;
    }
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    if (taken < connectionsMax) {
      taken += 1;
      socket.once('close', () => {
        taken -= 1;
      });
      return;
    }
    rejected.add(socket);
    rejectedTotal.inc({ how: 'answered' });
    const deadline = setTimeout(() => socket.destroy(), REJECTED_OPEN_MS);
    socket.once('close', () => clearTimeout(deadline));
  });
  return { isOverLimit: (socket) => rejected.has(socket) };
}
