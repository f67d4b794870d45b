import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Condition of the network between the two sides. */
export type NetworkCondition = {
  /** Closes connections and accepts none. */
  readonly isCut?: boolean;
  /** Nothing arrives; connections stay open. */
  readonly isStalled?: boolean;
  /** Delay of each chunk, per direction. */
  readonly delayMs?: number;
  /** Share of lost chunks, delivered after TCP's retransmission time. */
  readonly loss?: number;
  /** Delivers byte by byte at this rate. */
  readonly bytesPerSecond?: number;
};

/** Sees the bytes of one connection and returns what to forward; null closes the connection. */
export type Filter = {
  request(bytes: Buffer): Buffer | null;
  answer(bytes: Buffer): Buffer | null;
};

export type TcpProxyOptions = {
  readonly port: number;
  /** Listen address; default loopback. */
  readonly host?: string;
  /** Called for each connection, because the port may be unknown before. */
  targetPort(): number;
  readonly random: () => number;
  createFilter?(): Filter;
};

export type TcpProxy = { set(condition: NetworkCondition): void; close(): Promise<void> };

/** Linux retransmits after 200 ms, then doubles the interval. */
const RESEND_AFTER_MS = 200;
const UNSENT_BYTES_MAX = 256 * 1024;

/**
 * A proxy that degrades the network between two processes; the kernel's tools for that are not
 * available everywhere.
 */
export async function startTcpProxy({
  port,
  host = '127.0.0.1',
  targetPort,
  random,
  createFilter,
}: TcpProxyOptions): Promise<TcpProxy> {
  let condition: NetworkCondition = {};
  const connections = new Set<Connection>();

  const server = createServer((client) => {
    if (condition.isCut) {
      client.resetAndDestroy();
      return;
    }
    const connection = openConnection({
      client,
      target: connect({ host: '127.0.0.1', port: targetPort() }),
      filter: createFilter?.(),
      random,
      condition: () => condition,
    });
    connections.add(connection);
    client.once('close', () => connections.delete(connection));
  });
  await once(server.listen(port, host), 'listening');

  return {
    set(next) {
      condition = next;
      for (const connection of connections) {
        if (condition.isCut) connection.end();
        else connection.resume();
      }
    },
    async close() {
      for (const connection of connections) connection.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Connection = { end(): void; resume(): void };
type ConnectionOptions = {
  readonly client: Socket;
  readonly target: Socket;
  readonly filter?: Filter | undefined;
  readonly random: () => number;
  condition(): NetworkCondition;
};

function openConnection({
  client,
  target,
  filter,
  random,
  condition,
}: ConnectionOptions): Connection {
  const end = (): void => {
    client.destroy();
    target.destroy();
  };
  for (const socket of [client, target]) {
    socket.setNoDelay(true);
    socket.on('error', end);
    socket.on('close', end);
  }
  const directions = [
    openDirection({
      from: client,
      to: target,
      pass: (bytes) => (filter === undefined ? bytes : filter.request(bytes)),
      random,
      condition,
      end,
    }),
    openDirection({
      from: target,
      to: client,
      pass: (bytes) => (filter === undefined ? bytes : filter.answer(bytes)),
      random,
      condition,
      end,
    }),
  ];
  return { end, resume: () => directions.forEach((resume) => resume()) };
}

type DirectionOptions = {
  readonly from: Duplex;
  readonly to: Socket;
  pass(bytes: Buffer): Buffer | null;
  readonly random: () => number;
  condition(): NetworkCondition;
  end(): void;
};

/**
 * One direction: chunks are forwarded in order, none before its due time. Returns a function that
 * continues after a stall.
 */
function openDirection({ from, to, pass, random, condition, end }: DirectionOptions): () => void {
  const queue: { readonly bytes: Buffer; readonly dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let trickledAt = 0;

  /** Forwards one byte when it is due; true while a byte rate is set. */
  function trickle(): boolean {
    const { bytesPerSecond } = condition();
    const [piece] = queue;
    if (bytesPerSecond === undefined || piece === undefined) return false;
    const waitMs = trickledAt + 1_000 / bytesPerSecond - performance.now();
    if (waitMs <= 0) {
      trickledAt = performance.now();
      to.write(piece.bytes.subarray(0, 1));
      if (piece.bytes.length === 1) queue.shift();
      else queue[0] = { ...piece, bytes: piece.bytes.subarray(1) };
    }
    timer = setTimeout(flush, Math.max(1, waitMs));
    return true;
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (to.writable && !condition().isStalled && trickle()) return;
    while (queue.length > 0 && !condition().isStalled && to.writable) {
      const [piece] = queue;
      if (piece === undefined) break;
      const waitMs = piece.dueAt - performance.now();
      if (waitMs > 0) {
        timer = setTimeout(flush, waitMs);
        return;
      }
      queue.shift();
      if (!to.write(piece.bytes)) {
        // Back-pressure: stop reading while the other side does not.
        from.pause();
        to.once('drain', () => {
          from.resume();
          flush();
        });
        return;
      }
    }
    if (
      condition().isStalled &&
      queue.reduce((sum, { bytes }) => sum + bytes.length, 0) > UNSENT_BYTES_MAX
    )
      from.pause();
    else from.resume();
  }

  from.on('data', (chunk: Buffer) => {
    const bytes = pass(chunk);
    if (bytes === null) {
      end();
      return;
    }
    if (bytes.length === 0) return;
    const { delayMs = 0, loss = 0 } = condition();
    let lateMs = delayMs;
    for (let again = RESEND_AFTER_MS; random() < loss && again < 10_000; again *= 2)
      lateMs += again;
    queue.push({ bytes, dueAt: performance.now() + lateMs });
    flush();
  });
  return flush;
}
