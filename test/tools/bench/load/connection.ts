import { connect } from 'node:net';

/** What `send` reports when no answer came. */
export const NO_ANSWER = 0;

/**
 * One connection with one request on it at a time. Written on the bare socket, for the generator shares the machine with
 * what it measures: an HTTP client would cost as much CPU as the server.
 */
export interface Connection {
  /** Calls `done` once, with the status of the answer or NO_ANSWER. The bytes are not to be changed before. */
  send(request: Buffer, done: (status: number) => void): void;
  /** False when it cannot take another request. */
  isUsable(): boolean;
  close(): void;
}

/** Longer than the server takes to refuse what it cannot do. */
const SILENCE_MAX_MS = 15_000;
/** Shorter than the server keeps an idle connection, so that it is never closed under a request. */
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
    // An answer may come before the whole request was taken; the rest of it would be read as the next one.
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

/** Undefined while it is not complete. @throws when its length cannot be told: no answer of this service is of that kind */
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
