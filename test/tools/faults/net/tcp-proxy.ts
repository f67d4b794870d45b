import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How the network between the two sides is now. */
export type NetworkCondition = {
  /** Connections end and none is made. */
  readonly isCut?: boolean;
  /** Nothing arrives, on connections that stay open. */
  readonly isStalled?: boolean;
  /** What every piece takes, each way. */
  readonly delayMs?: number;
  /** How many of the pieces are lost, to be sent again after the time that TCP waits. */
  readonly loss?: number;
  /** What arrives comes byte by byte. */
  readonly bytesPerSecond?: number;
};

/** Sees what passes on one connection and says what goes on; null ends the connection. */
export type Filter = {
  request(bytes: Buffer): Buffer | null;
  answer(bytes: Buffer): Buffer | null;
};

export type TcpProxyOptions = {
  readonly port: number;
  /** Address of this machine that it listens at; loopback when absent. */
  readonly host?: string;
  /** Asked at each connection: the port may not be known before. */
  targetPort(): number;
  readonly random: () => number;
  createFilter?(): Filter;
};

export type TcpProxy = { set(weather: NetworkCondition): void; close(): Promise<void> };

/** Linux sends a lost piece again after 200 ms, then twice as long each time. */
const RESEND_AFTER_MS = 200;
const UNSENT_BYTES_MAX = 256 * 1024;

/** Stands between two processes and makes their network bad, since the kernel's own means for that are not everywhere. */
export async function startTcpProxy({
  port,
  host = '127.0.0.1',
  targetPort,
  random,
  createFilter,
}: TcpProxyOptions): Promise<TcpProxy> {
  let weather: NetworkCondition = {};
  const lines = new Set<Line>();

  const server = createServer((client) => {
    if (weather.isCut) {
      client.resetAndDestroy();
      return;
    }
    const line = openLine({
      client,
      target: connect({ host: '127.0.0.1', port: targetPort() }),
      filter: createFilter?.(),
      random,
      weather: () => weather,
    });
    lines.add(line);
    client.once('close', () => lines.delete(line));
  });
  await once(server.listen(port, host), 'listening');

  return {
    set(next) {
      weather = next;
      for (const line of lines) {
        if (weather.isCut) line.end();
        else line.goOn();
      }
    },
    async close() {
      for (const line of lines) line.end();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

type Line = { end(): void; goOn(): void };
type LineOptions = {
  readonly client: Socket;
  readonly target: Socket;
  readonly filter?: Filter;
  readonly random: () => number;
  weather(): NetworkCondition;
};

function openLine({ client, target, filter, random, weather }: LineOptions): Line {
  const end = (): void => {
    client.destroy();
    target.destroy();
  };
  for (const socket of [client, target]) {
    socket.setNoDelay(true);
    socket.on('error', end);
    socket.on('close', end);
  }
  const ways = [
    openWay({
      from: client,
      to: target,
      pass: (bytes) => (filter === undefined ? bytes : filter.request(bytes)),
      random,
      weather,
      end,
    }),
    openWay({
      from: target,
      to: client,
      pass: (bytes) => (filter === undefined ? bytes : filter.answer(bytes)),
      random,
      weather,
      end,
    }),
  ];
  return { end, goOn: () => ways.forEach((goOn) => goOn()) };
}

type WayOptions = {
  readonly from: Duplex;
  readonly to: Socket;
  pass(bytes: Buffer): Buffer | null;
  readonly random: () => number;
  weather(): NetworkCondition;
  end(): void;
};

/** One direction: pieces leave in the order they came, none before its time. Returns how to go on after a stall. */
function openWay({ from, to, pass, random, weather, end }: WayOptions): () => void {
  const queue: { readonly bytes: Buffer; readonly dueAt: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let trickledAt = 0;

  /** Lets one byte pass when it is time for it; true while that is how it goes. */
  function trickle(): boolean {
    const { bytesPerSecond } = weather();
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
    if (to.writable && !weather().isStalled && trickle()) return;
    while (queue.length > 0 && !weather().isStalled && to.writable) {
      const [piece] = queue;
      if (piece === undefined) break;
      const waitMs = piece.dueAt - performance.now();
      if (waitMs > 0) {
        timer = setTimeout(flush, waitMs);
        return;
      }
      queue.shift();
      if (!to.write(piece.bytes)) {
        // What the other side does not read must not gather here.
        from.pause();
        to.once('drain', () => {
          from.resume();
          flush();
        });
        return;
      }
    }
    if (
      weather().isStalled &&
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
    const { delayMs = 0, loss = 0 } = weather();
    let lateMs = delayMs;
    for (let again = RESEND_AFTER_MS; random() < loss && again < 10_000; again *= 2)
      lateMs += again;
    queue.push({ bytes, dueAt: performance.now() + lateMs });
    flush();
  });
  return flush;
}
