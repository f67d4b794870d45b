import { connect } from 'node:net';

/** Reported by `send` without a response. */
export const NO_ANSWER = 0;

/**
 * A connection with one request at a time, on a raw socket. The generator shares the machine with
 * the server, and an HTTP client would use as much CPU.
 */
export interface Connection {
  /** Calls `done` once, with the response status or NO_ANSWER. Do not change the bytes before. */
  send(request: Buffer, done: (status: number) => void): void;
  /** False if it cannot send another request. */
  isUsable(): boolean;
  close(): void;
}

/** Longer than the server takes to reject a request. */
const SILENCE_MAX_MS = 15_000;
/** Shorter than the server's keep-alive timeout, so that it never closes a connection in use. */
const IDLE_MAX_MS = 3_000;
const NOTHING = Buffer.alloc(0);

export function openConnection(address: {
  readonly host: string;
  readonly port: number;
}): Connection {
  const socket = connect({ ...address, noDelay: true });
  let waiting: ((status: number) => void) | undefined;
  let received: Buffer = NOTHING;
  let usedAt = performance.now();
  let isOver = false;

  const settle = (status: number): void => {
    const done = waiting;
    waiting = undefined;
    received = NOTHING;
    usedAt = performance.now();
    done?.(status);
  };
  const end = (): void => {
    isOver = true;
    socket.destroy();
    settle(NO_ANSWER);
  };
  socket.setTimeout(SILENCE_MAX_MS, end);
  socket.on('error', end);
  socket.on('close', end);
  socket.on('data', (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const answer = readAnswer(received);
    if (answer === undefined) return;
    // A response may arrive before the request was sent completely; the rest would be read as the
    // next request.
    if (answer.isLast || socket.writableLength > 0) {
      isOver = true;
      socket.destroy();
    }
    settle(answer.status);
  });

  return {
    send(request, done) {
      if (isOver) {
        done(NO_ANSWER);
        return;
      }
      waiting = done;
      socket.write(request);
    },
    isUsable: () => !isOver && performance.now() - usedAt < IDLE_MAX_MS,
    close: end,
  };
}

type Answer = { readonly status: number; readonly isLast: boolean };

/**
 * Undefined if incomplete.
 * @throws if its length is unknown, which no response of this service has
 */
export function readAnswer(bytes: Buffer): Answer | undefined {
  const headBytes = bytes.indexOf('\r\n\r\n');
  if (headBytes < 0) return undefined;
  const head = bytes.toString('latin1', 0, headBytes);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length === undefined)
    throw new Error(`an answer without a length: ${head.split('\r\n', 1)[0]}`);
  if (bytes.length < headBytes + '\r\n\r\n'.length + Number(length)) return undefined;
  return {
    status: Number(head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)),
    isLast: /\r\nconnection: *close/i.test(head),
  };
}
