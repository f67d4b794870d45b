import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../app-error.ts';
import { systemIds } from '../ids.ts';
import { answerClientError, answerConnect } from './client-error.ts';
import { limitConnections } from './connection-limit.ts';
import { openAcceptSockets, type AcceptSockets } from './accept-sockets.ts';
import { continueWhenRead } from './expectation.ts';
import { hostFault } from './host.ts';
import { sendProblem } from './problem.ts';
import { retryAfterSeconds } from '../retry.ts';
import { traceRequests } from '../tracing/trace-requests.ts';

export type HttpAddress = { readonly host: string; readonly port: number };

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** From now on every answer ends its connection, also those to requests that are in work: callers come again by another way. */
  disableKeepAlive(): void;
  /** Refuses new connections, lets requests in flight finish for `closeDeadlineMs`, closes idle connections; then resolves. */
  close(): Promise<void>;
}

/** Longer than any answer takes; what has not arrived by then never will. */
const CLOSE_DEADLINE_MS = 12_000;

/** Longer than a request is on its way to us. */
const SILENCE_AT_CLOSE_MS = 1_000;

/** Longer than any handler works. Without it a caller who reads nothing of his answer holds it, and its room, for ever. */
const SILENCE_TIMEOUT_MS = 60_000;

export type ListenOptions = {
  readonly closeDeadlineMs?: number;
  readonly requestTimeoutMs?: number;
  readonly silenceTimeoutMs?: number;
  /** Open connections; beyond it callers are answered 503. Absent: any number. */
  readonly connectionsMax?: number;
  /** Sockets that listen at the address: as many connections are taken in one turn of the event loop. */
  readonly acceptSockets?: number;
  /** Whether requests make traces; absent: they do. */
  readonly isTraced?: boolean;
};

/** Starts a server whose every answer, also to a request that cannot be parsed, is one of ours. Port 0 takes a free one. */
export async function listen(
  handler: RequestListener,
  { host, port }: HttpAddress,
  {
    closeDeadlineMs = CLOSE_DEADLINE_MS,
    requestTimeoutMs = 30_000,
    silenceTimeoutMs = SILENCE_TIMEOUT_MS,
    connectionsMax,
    acceptSockets: count = 1,
    isTraced = true,
  }: ListenOptions = {},
): Promise<HttpServer> {
  const server = createServer({
    headersTimeout: requestTimeoutMs / 2,
    requestTimeout: requestTimeoutMs,
    // Longer than the idle time of common load balancers, which must be the side that closes.
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: requestTimeoutMs / 6,
    maxHeaderSize: 16 * 1024,
    // Node's own answer to a request without Host has no body; ours is below.
    requireHostHeader: false,
  });
  server.timeout = silenceTimeoutMs;
  const limit = connectionsMax === undefined ? null : limitConnections(server, connectionsMax);
  const lastAnswers = new Map<Socket, ServerResponse | null>();
  server.on('connection', (socket: Socket) => {
    lastAnswers.set(socket, null);
    socket.once('close', () => lastAnswers.delete(socket));
  });
  let isTurningAway = false;
  const traced = isTraced ? traceRequests(handler) : handler;
  const onRequest: RequestListener = (req, res) => {
    lastAnswers.set(req.socket, res);
    if (isTurningAway) res.setHeader('Connection', 'close');
    let fault: AppError | null;
    if (limit?.isOverLimit(req.socket) === true)
      refuse(
        res,
        new AppError('unavailable', 'Too many connections are open. Try again.', {
          retryAfterSeconds: retryAfterSeconds(),
        }),
      );
    else if ((fault = hostFault(req)) !== null) refuse(res, fault);
    else traced(req, res);
  };
  server.on('request', onRequest);
  // An expectation nobody knows may be ignored (RFC 9110, 10.1.1); Node would answer 417 by itself.
  server.on('checkExpectation', onRequest);
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    continueWhenRead(req, res);
    onRequest(req, res);
  });
  server.on('connect', (_req: IncomingMessage, socket: Socket) => answerConnect(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    answerClientError(error, socket, lastAnswers.get(socket) ?? undefined),
  );
  const entrances = await openAcceptSockets(server, { host, port, count });
  const disableKeepAlive = (): void => {
    isTurningAway = true;
    for (const answer of lastAnswers.values())
      if (answer?.headersSent === false) answer.setHeader('Connection', 'close');
  };
  return {
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${entrances.port}`,
    port: entrances.port,
    disableKeepAlive,
    close() {
      disableKeepAlive();
      return close(server, entrances, { lastAnswers, deadlineMs: closeDeadlineMs });
    },
  };
}

/** By connection, the answer to its last request; null where nobody has asked anything yet: browsers and clients open some in advance, and Node does not count them as idle. */
type LastAnswers = ReadonlyMap<Socket, ServerResponse | null>;

async function close(
  server: Server,
  entrances: AcceptSockets,
  { lastAnswers, deadlineMs }: { readonly lastAnswers: LastAnswers; readonly deadlineMs: number },
): Promise<void> {
  const startedAt = performance.now();
  // A kept-alive connection that becomes idle later would hold the server open.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // What was sent before the address closed has arrived by then.
    if (performance.now() - startedAt > SILENCE_AT_CLOSE_MS)
      for (const [socket, answer] of lastAnswers)
        if (answer === null && socket.bytesRead === 0) socket.destroy();
  }, 50);
  // So would a caller who never finishes: a closing server no longer checks how long requests take to arrive.
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await entrances.close();
  clearInterval(idle);
  clearTimeout(deadline);
}

/** Before any route has seen the request. What is sent on behind it is another matter, so the connection ends here. */
function refuse(res: ServerResponse, error: AppError): void {
  sendProblem(res, error, { requestId: systemIds.uuid(), headers: ['Connection', 'close'] });
}
