import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request that the receiver got. */
export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
};

/** Answers a request, or not; `count` is the number of earlier requests. */
export type Answering = (res: ServerResponse, count: number) => void;

export const answer =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answering =>
  (res) => {
    res.writeHead(status, headers).end();
  };

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
  /** Open connections. */
  open(): number;
  answerWith(answering: Answering): void;
}

/** A real HTTP server on a free local port. */
export async function startReceiver(answering: Answering = answer(204)): Promise<Receiver> {
  let current = answering;
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((req, res) => {
    void readText(req).then((body) => {
      received.push({ headers: req.headers, body, event: JSON.parse(body) as Received['event'] });
      current(res, received.length - 1);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    open: () => sockets.size,
    answerWith(next) {
      current = next;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readText(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req.setEncoding('utf8')) text += String(chunk);
  return text;
}
