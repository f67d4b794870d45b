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
  /**
   * Closes each connection after its next response, also for requests in progress. Clients then
   * reconnect, to another replica.
   */
  disableKeepAlive(): void;
  /**
   * Stops accepting connections, lets in-flight requests finish for `closeDeadlineMs` and closes
   * idle connections. Resolves when all are closed.
   */
  close(): Promise<void>;
}

/** Longer than any response takes; a body that has not arrived by then never will. */
const CLOSE_DEADLINE_MS = 12_000;

/** Longer than the network delay of a request. */
const SILENCE_AT_CLOSE_MS = 1_000;

/**
 * Longer than any handler runs. Without this timeout, a client that never reads its response holds
 * the connection and its memory for ever.
 */
const SILENCE_TIMEOUT_MS = 60_000;

export type ListenOptions = {
  readonly closeDeadlineMs?: number;
  readonly requestTimeoutMs?: number;
  readonly silenceTimeoutMs?: number;
  /** Maximum open connections; requests on further ones get 503. Absent: no limit. */
  readonly connectionsMax?: number;
  /** Listening sockets: the number of connections accepted per event-loop turn. */
  readonly acceptSockets?: number;
  /** Whether requests create trace spans; default true. */
  readonly isTraced?: boolean;
};

export type Listen = (
  handler: RequestListener,
  address: HttpAddress,
  options?: ListenOptions,
) => Promise<HttpServer>;

/**
 * Starts an HTTP server. Every response, also to an unparsable request, has our format. Port 0: any
 * free port.
 */
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
  const server = createHttpServer({ requestTimeoutMs, silenceTimeoutMs });
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
      reject(
        res,
        new AppError('unavailable', 'Too many open connections. Try again.', {
          retryAfterSeconds: retryAfterSeconds(),
        }),
      );
    else if ((fault = hostFault(req)) !== null) reject(res, fault);
    else traced(req, res);
  };
  server.on('request', onRequest);
  // Unknown expectations may be ignored (RFC 9110, 10.1.1); Node would answer 417.
  server.on('checkExpectation', onRequest);
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    continueWhenRead(req, res);
    onRequest(req, res);
  });
  server.on('connect', (_req: IncomingMessage, socket: Socket) => answerConnect(socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
    answerClientError(error, socket, lastAnswers.get(socket) ?? undefined),
  );
  const sockets = await openAcceptSockets(server, { host, port, count });
  const disableKeepAlive = (): void => {
    isTurningAway = true;
    for (const answer of lastAnswers.values())
      if (answer?.headersSent === false) answer.setHeader('Connection', 'close');
  };
  return {
    url: `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${sockets.port}`,
    port: sockets.port,
    disableKeepAlive,
    close() {
      disableKeepAlive();
      return close(server, sockets, { lastAnswers, deadlineMs: closeDeadlineMs });
    },
  };
}

function createHttpServer({
  requestTimeoutMs,
  silenceTimeoutMs,
}: Readonly<Record<'requestTimeoutMs' | 'silenceTimeoutMs', number>>): Server {
  const server = createServer({
    headersTimeout: requestTimeoutMs / 2,
    requestTimeout: requestTimeoutMs,
    // Longer than the idle timeout of common load balancers: the balancer must close first.
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: requestTimeoutMs / 6,
    maxHeaderSize: 16 * 1024,
    // Node's own 400 for a missing Host has no body; `hostFault` answers instead.
    requireHostHeader: false,
  });
  server.timeout = silenceTimeoutMs;
  return server;
}

/**
 * The response to the last request of each connection; null before its first request. Browsers and
 * HTTP clients open connections in advance, which Node does not count as idle.
 */
type LastAnswers = ReadonlyMap<Socket, ServerResponse | null>;

async function close(
  server: Server,
  sockets: AcceptSockets,
  { lastAnswers, deadlineMs }: { readonly lastAnswers: LastAnswers; readonly deadlineMs: number },
): Promise<void> {
  const startedAt = performance.now();
  // A kept-alive connection that becomes idle later would keep the server open.
  const idle = setInterval(() => {
    server.closeIdleConnections();
    // Requests sent before the listener closed have arrived by now.
    if (performance.now() - startedAt > SILENCE_AT_CLOSE_MS)
      for (const [socket, answer] of lastAnswers)
        if (answer === null && socket.bytesRead === 0) socket.destroy();
  }, 50);
  // So would a request that never ends: a closing server no longer enforces request timeouts.
  const deadline = setTimeout(() => server.closeAllConnections(), deadlineMs);
  await sockets.close();
  clearInterval(idle);
  clearTimeout(deadline);
}

/**
 * Rejects a request before routing. The connection is closed: the remaining bytes of the request
 * would be read as the next one.
 */
function reject(res: ServerResponse, error: AppError): void {
  sendProblem(res, error, { requestId: systemIds.uuid(), headers: ['Connection', 'close'] });
}
