import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A response parsed from its bytes, for requests that no HTTP client would send. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** A raw connection; `await using` closes it. */
export interface RawConnection extends AsyncDisposable {
  readonly socket: Socket;
  /** The next response with a Content-Length. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
}

export async function openRawConnection(port: number, text = ''): Promise<RawConnection> {
  // Half open, like a client that keeps sending after the server ended its side.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  const closed = new Promise<void>((resolve) =>
    socket.once('end', resolve).once('close', () => resolve()),
  );
  socket.on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    socket.emit('received');
  });
  socket.write(text, 'latin1');
  return {
    socket,
    closed,
    async answer() {
      for (;;) {
        const parsed = parseAnswer(received);
        if (parsed !== null) {
          received = received.slice(parsed.length);
          return parsed.answer;
        }
        if (socket.closed) throw new Error(`the connection ended without an answer: ${received}`);
        await Promise.race([once(socket, 'received'), closed]);
        if (socket.readableEnded && parseAnswer(received) === null)
          throw new Error(`the connection ended without an answer: ${received}`);
      }
    },
    async [Symbol.asyncDispose]() {
      if (socket.closed) return;
      socket.destroy();
      await once(socket, 'close');
    },
  };
}

function parseAnswer(text: string): { readonly answer: RawAnswer; readonly length: number } | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const length = end + 4 + Number(headers['content-length'] ?? 0);
  if (text.length < length) return null;
  return {
    answer: {
      status: Number(statusLine.split(' ')[1]),
      headers,
      body: text.slice(end + 4, length),
    },
    length,
  };
}
