import {
  Agent,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Server as NetServer, Socket } from 'node:net';
import { Stream } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { createProxyServer, type ProxyServer } from 'http-proxy-3';
import { createRouter, type Route } from '@tidings/api-spec/public-routes';
import {
  AppError,
  answerClientError,
  answerConnect,
  hostFault,
  sendProblem,
  systemIds,
} from '@tidings/platform';
import type { Certificate } from './certificate.ts';

export type ReverseProxyOptions = {
  readonly port: number;
  readonly httpsPort: number;
  readonly certificate: Certificate;
  readonly routes: readonly Route[];
  /** Local port of each service. */
  readonly portOf: (service: string) => number;
};

export interface ReverseProxy {
  readonly baseUrl: string;
  readonly httpsUrl: string;
  /** Stops accepting requests and resolves when those in flight have ended. */
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const RETRY_AFTER_SECONDS = 1;
const CONNECT_TIMEOUT_MS = 2_000;
/** Maximum silence of a service in milliseconds; streams send a heartbeat more often. */
const ANSWER_TIMEOUT_MS = 65_000;
const CLOSE_WITHIN_MS = 10_000;

/**
 * One base URL for all services, like the Ingress in a cluster: http and https on loopback.
 * @throws if a port is taken
 */
export async function startReverseProxy(options: ReverseProxyOptions): Promise<ReverseProxy> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 });
  const proxy = createProxy(agent);
  const forwarding = { proxy, options, serviceOf: createRouter(options.routes) };
  const server = createServer(
    {
      requestTimeout: 60_000,
      headersTimeout: 15_000,
      keepAliveTimeout: 75_000,
      requireHostHeader: false,
    },
    (req, res) => forward(req, res, forwarding),
  );
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) =>
    forward(req, res, { ...forwarding, body: bodyOnDemand(req, res) }),
  );
  server.on('clientError', (error, socket) => answerClientError(error, socket as Socket));
  server.on('connect', (_req, socket) => answerConnect(socket as Socket));
  // The same HTTP server handles TLS connections.
  const tls = createTlsServer({ ...options.certificate, ALPNProtocols: ['http/1.1'] }, (socket) =>
    server.emit('connection', socket),
  );
  await listen(server, options.port);
  try {
    await listen(tls, options.httpsPort);
  } catch (error) {
    server.close();
    throw error;
  }

  return {
    baseUrl: `http://${HOST}:${options.port}`,
    httpsUrl: `https://${HOST}:${options.httpsPort}`,
    close: async () => {
      const late = setTimeout(() => server.closeAllConnections(), CLOSE_WITHIN_MS);
      const idle = setInterval(() => server.closeIdleConnections(), 50);
      await Promise.all([closed(server), closed(tls)]);
      clearTimeout(late);
      clearInterval(idle);
      agent.destroy();
      proxy.close();
    },
  };
}

function createProxy(agent: Agent): ProxyServer {
  const proxy = createProxyServer({
    agent,
    connectTimeout: CONNECT_TIMEOUT_MS,
    proxyTimeout: ANSWER_TIMEOUT_MS,
  });
  proxy.on('error', (_error, _req, res) => answerUnavailable(res));
  proxy.on('proxyRes', (answer, req, res) => {
    // Hop-by-hop headers of the connection to the service.
    delete answer.headers['connection'];
    delete answer.headers['keep-alive'];
    // A client that got no 100 Continue may or may not send its body, so the connection cannot be
    // reused.
    if (expectsContinue(req)) answer.headers['connection'] = 'close';
    // If a service dies during its response, close the client's connection instead of leaving it
    // waiting.
    answer.on('close', () => {
      if (!answer.complete) res.destroy();
    });
    // The service's connection still expects the rest of the body, which is discarded.
    res.once('finish', () => {
      if (!req.readableEnded) answer.socket.destroy();
    });
  });
  return proxy;
}

type Forwarding = {
  readonly proxy: ProxyServer;
  readonly options: ReverseProxyOptions;
  readonly serviceOf: (url: string) => string | undefined;
  /** Replaces the body of the request. */
  readonly body?: Stream;
};

function forward(
  req: IncomingMessage,
  res: ServerResponse,
  { proxy, options, serviceOf, body }: Forwarding,
): void {
  const fault = hostFault(req);
  if (fault !== null) {
    // The proxy would forward only one of several Host headers.
    sendProblem(res, fault, { requestId: systemIds.uuid(), headers: ['Connection', 'close'] });
    return;
  }
  const service = serviceOf(req.url ?? '/');
  if (service === undefined) {
    answer(res, new AppError('not_found', 'No service has this path.'));
    return;
  }
  // No proxy is in front of this one, so the client's X-Forwarded-For is not trusted.
  req.headers['x-forwarded-for'] = req.socket.remoteAddress ?? HOST;
  req.headers['x-forwarded-proto'] = 'encrypted' in req.socket ? 'https' : 'http';
  proxy.web(req, res, {
    target: { host: HOST, port: options.portOf(service) },
    ...(body && { buffer: body }),
  });
  res.once('finish', () => dropRestOfBody(req));
}

const expectsContinue = ({ headers }: IncomingMessage): boolean =>
  /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect ?? '');

/** Body of a request with `Expect: 100-continue`: read only when the service asks for it. */
function bodyOnDemand(req: IncomingMessage, res: ServerResponse): Stream {
  return Object.assign(new Stream(), {
    pipe<T extends NodeJS.WritableStream>(toService: T): T {
      toService.once('continue', () => {
        delete req.headers.expect;
        res.writeContinue();
        req.pipe(toService);
      });
      return toService;
    },
  });
}

/**
 * A service may respond before the body has arrived (413, 400), or be gone. The rest of the body is
 * read and discarded. Unread, it would precede the next request on this connection, and closing
 * over it could reset the response (RFC 9112, 9.6).
 */
function dropRestOfBody(req: IncomingMessage): void {
  if (req.readableEnded) return;
  req.unpipe();
  req.resume();
}

/**
 * The service is down, or closed the connection before it responded. If part of the response was
 * sent, only the connection can be closed.
 */
function answerUnavailable(res: ServerResponse | Socket): void {
  if (!('setHeader' in res) || res.headersSent) return;
  answer(
    res,
    new AppError('unavailable', 'The service of this path is not running. Try again.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    }),
  );
}

function answer(res: ServerResponse, error: AppError): void {
  sendProblem(res, error, { requestId: systemIds.uuid() });
}

function listen(server: Server | NetServer, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function closed(server: Server | NetServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
