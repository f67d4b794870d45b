import { flag, list, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Pool } from 'undici';
import { EgressRefusedError, type Egress } from './egress.ts';
import { exchange, type HttpAnswer, type HttpRequest } from './http-exchange.ts';

export const egressHttpConfig = {
  egressPlainHttp: flag('EGRESS_PLAIN_HTTP', 'Whether addresses of callers may be http, without TLS.', { default: false }),
  egressHttpPorts: list('EGRESS_HTTP_PORTS', 'Ports that addresses of callers may name; * is any.', { default: ['443'] }),
} as const satisfies ConfigSpec;

/** Requests to addresses that come from outside: settings, messages. */
export interface EgressHttp {
  /**
   * One request on a kept-alive connection to a vetted address. Never follows a redirect, and never sends twice.
   * @throws HttpFailure, which says whether any of it may have left; EgressRefusedError for an address that may not be reached
   */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Lets requests under way end. */
  close(): Promise<void>;
}

export type EgressHttpOptions = {
  readonly egress: Egress;
  /** Connections to one origin at most: as many as there are requests at a time, so that none waits for another. */
  readonly connections: number;
  readonly connectTimeoutMs?: number;
};

/** Origins with open connections; the one that was not used for the longest time makes room. */
const ORIGINS_MAX = 200;
/** Shorter than the idle time of common servers, which must not be the side that closes. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 5_000;

export function createEgressHttp(
  config: ConfigOf<typeof egressHttpConfig>,
  { egress, connections, connectTimeoutMs = CONNECT_TIMEOUT_MS }: EgressHttpOptions,
): EgressHttp {
  const pools = new Map<string, Pool>();
  const poolOf = (origin: string): Pool => {
    const pool = pools.get(origin) ?? createPool(origin, { egress, connections, connectTimeoutMs });
    // Put back at the end: the first is the one that was not used for the longest time.
    pools.delete(origin);
    pools.set(origin, pool);
    const [oldest] = pools;
    if (pools.size > ORIGINS_MAX && oldest !== undefined) {
      pools.delete(oldest[0]);
      void oldest[1].close();
    }
    return pool;
  };
  return {
    async request(request) {
      const url = checked(request.url, config);
      return exchange(poolOf(url.origin), url, request);
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.close()));
    },
  };
}

/** The URL, if its form is one that may be reached; the address behind its name is vetted at connection. */
function checked(text: string, { egressPlainHttp, egressHttpPorts }: ConfigOf<typeof egressHttpConfig>): URL {
  const url = URL.parse(text);
  if (url === null) throw new EgressRefusedError('The URL', 'cannot be read');
  const isAllowedScheme = url.protocol === 'https:' || (url.protocol === 'http:' && egressPlainHttp);
  if (!isAllowedScheme) throw new EgressRefusedError(url.protocol, 'is not allowed: use https');
  if (url.username !== '' || url.password !== '') throw new EgressRefusedError(url.host, 'stands after credentials, which a URL must not have');
  if (!egressHttpPorts.includes('*') && !egressHttpPorts.includes(String(portOf(url)))) throw new EgressRefusedError(url.host, 'names a port that is not allowed');
  return url;
}

const portOf = ({ port, protocol }: { readonly port: string; readonly protocol: string }): number => {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
};

function createPool(origin: string, { egress, connections, connectTimeoutMs }: Required<EgressHttpOptions>): Pool {
  return new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // Each request has a deadline of its own for everything.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: ({ hostname, port, protocol }, done) => {
      const host = hostname.replace(/^\[|\]$/g, '');
      egress
        .connect({ host, port: portOf({ port, protocol }), timeoutMs: connectTimeoutMs })
        .then((socket) => (protocol === 'https:' ? secured(socket, host, connectTimeoutMs) : socket))
        .then(
          (socket) => done(null, socket),
          (error: Error) => done(error, null),
        );
    },
  });
}

/** TLS with the name that was asked for, over the connection to the vetted address. */
function secured(socket: Socket, host: string, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // By itself it says the name only of sockets that it has opened.
    const tls = connectTls({ socket, host, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 && { servername: host }) });
    const giveUp = setTimeout(() => tls.destroy(Object.assign(new Error('the TLS handshake took too long'), { code: 'ETIMEDOUT' })), timeoutMs);
    tls.once('error', (error) => {
      clearTimeout(giveUp);
      socket.destroy();
      reject(error);
    });
    tls.once('secureConnect', () => {
      clearTimeout(giveUp);
      tls.removeAllListeners('error');
      resolve(tls);
    });
  });
}
