import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Counter } from '../metrics.ts';

const rejectedTotal = new Counter({
  name: 'tidings_http_rejected_connections_total',
  help: 'Connections above the bound: answered 503, or closed at once when even those were too many.',
  labelNames: ['how'] as const,
});

/** Above the bound there is room for some more, only to tell them so; whoever comes on top of them is cut off. */
const REJECTED_OPEN_MIN = 16;
const REJECTED_OPEN_SHARE = 0.1;
/** A refused connection may take this long to ask. */
const REJECTED_OPEN_MS = 5_000;

/** Bounds the open connections of a server. A caller above the bound hears why: his request is for the server to answer with 503. */
export function limitConnections(
  server: Server,
  connectionsMax: number,
): { isOverLimit(socket: Socket): boolean } {
  const refused = new WeakSet<Socket>();
  // Not by the server's maxConnections: each of its entrances would count its own.
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
    refused.add(socket);
    rejectedTotal.inc({ how: 'answered' });
    const deadline = setTimeout(() => socket.destroy(), REJECTED_OPEN_MS);
    socket.once('close', () => clearTimeout(deadline));
  });
  return { isOverLimit: (socket) => refused.has(socket) };
}
