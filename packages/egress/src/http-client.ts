import { ConfigError, list, type ConfigOf, type ConfigSpec } from '@tidings/platform';
import { LRUCache } from 'lru-cache';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { Pool, type Client } from 'undici';
import { EgressBlockedError, type Egress } from './egress.ts';
import {
  Connection,
  exchange,
  HttpFailure,
  type HttpAnswer,
  type HttpRequest,
} from './http-exchange.ts';

export const egressHttpConfig = {
  egressPublicPorts: list(
    'EGRESS_PUBLIC_PORTS',
    'Ports, over TLS, at which public addresses named by callers may be reached. Allowed networks may be reached at any port, also without TLS.',
    {
      default: ['443', '8443'],
    },
  ),
} as const satisfies ConfigSpec;

/** HTTP requests to external addresses: from settings or messages. */
export interface EgressHttp {
  /**
   * Sends one request over a kept-alive connection to a checked address; to a public one only over
   * TLS and at the public ports. Never follows redirects. Repeats a request only if `mayRepeat`
   * allows it.
   * @throws HttpFailure, which tells whether any byte may have been sent; EgressBlockedError for a
   * forbidden address
   */
  request(request: HttpRequest): Promise<HttpAnswer>;
  /** Waits for requests in progress. */
  close(): Promise<void>;
}

export type EgressHttpOptions = {
  readonly egress: Egress;
  /**
   * Maximum connections to one origin. Set it to the number of concurrent requests, so none waits
   * for another.
   */
  readonly connections: number;
  readonly connectTimeoutMs?: number;
  /** Certificates to trust instead of those of the system. */
  readonly ca?: string;
};

/** Maximum origins with open connections; the least recently used is closed. */
const ORIGINS_MAX = 200;
/** Shorter than the idle timeout of common servers: this side must close first. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 5_000;
const PORT_MAX = 65_535;

/** @throws ConfigError if a port is invalid */
export function createEgressHttp(
  config: ConfigOf<typeof egressHttpConfig>,
  options: EgressHttpOptions,
): EgressHttp {
  const publicPorts = parsePorts(config);
  const pools = new LRUCache<string, Pool>({
    max: ORIGINS_MAX,
    dispose: (pool, _origin, reason) => void (reason === 'evict' && pool.close()),
  });
  /** Messages of a campaign mostly go to one origin. */
  let last: { readonly text: string; readonly url: URL } | undefined;
  const toUrl = (text: string): URL => {
    if (last?.text !== text) last = { text, url: checked(text) };
    return last.url;
  };
  const poolOf = (origin: string): Pool => {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const pool = createPool(origin, { ...options, publicPorts });
    pools.set(origin, pool);
    return pool;
  };
  return {
    async request(request) {
      const url = toUrl(request.url);
      const startedAt = performance.now();
      try {
        return await exchange(poolOf(url.origin), url, request);
      } catch (error) {
        if (
          request.mayRepeat !== true ||
          !(error instanceof HttpFailure) ||
          !error.isConnectionOver
        )
          throw error;
        return exchange(poolOf(url.origin), url, {
          ...request,
          timeoutMs: Math.max(1, request.timeoutMs - (performance.now() - startedAt)),
        });
      }
    },
    async close() {
      const open = [...pools.values()];
      pools.clear();
      await Promise.all(open.map((pool) => pool.close()));
    },
  };
}

function parsePorts({ egressPublicPorts }: ConfigOf<typeof egressHttpConfig>): readonly number[] {
  const ports = egressPublicPorts.map((text) =>
    /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN,
  );
  if (!ports.every((port) => port <= PORT_MAX))
    throw new ConfigError([`EGRESS_PUBLIC_PORTS must be whole numbers up to ${PORT_MAX}`]);
  return ports;
}

/** Checks the form of the URL. Its address is checked at connection. */
function checked(text: string): URL {
  const url = URL.parse(text);
  if (url === null) throw new EgressBlockedError('The URL', 'cannot be read');
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new EgressBlockedError(url.protocol, 'is not of the Web');
  if (url.username !== '' || url.password !== '')
    throw new EgressBlockedError(url.host, 'stands after credentials, which a URL must not have');
  return url;
}

const portOf = ({
  port,
  protocol,
}: {
  readonly port: string;
  readonly protocol: string;
}): number => {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
};

type PoolOptions = EgressHttpOptions & { readonly publicPorts: readonly number[] };

function createPool(
  origin: string,
  { egress, connections, connectTimeoutMs = CONNECT_TIMEOUT_MS, ca, publicPorts }: PoolOptions,
): Pool {
  return new Pool(origin, {
    connections,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    // Each request has its own overall deadline.
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (url, options) => new Connection(url, options as Client.Options),
    connect: ({ hostname, port, protocol }, done) => {
      const host = hostname.replace(/^\[|\]$/g, '');
      const isSecure = protocol === 'https:';
      egress
        .connect({
          host,
          port: portOf({ port, protocol }),
          timeoutMs: connectTimeoutMs,
          publicPorts: isSecure ? publicPorts : [],
        })
        .then((socket) =>
          isSecure ? secured(socket, { host, ca, timeoutMs: connectTimeoutMs }) : socket,
        )
        .then(
          (socket) => done(null, socket),
          (error: Error) => done(error, null),
        );
    },
  });
}

type TlsTarget = {
  readonly host: string;
  readonly ca: string | undefined;
  readonly timeoutMs: number;
};

/** TLS with the requested name, over the connection to the checked address. */
function secured(socket: Socket, { host, ca, timeoutMs }: TlsTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // Node sends the name by itself only on sockets that it opened.
    const tls = connectTls({
      socket,
      host,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 && { servername: host }),
      ...(ca !== undefined && { ca }),
    });
    const giveUp = setTimeout(
      () =>
        tls.destroy(
          Object.assign(new Error('the TLS handshake took too long'), { code: 'ETIMEDOUT' }),
        ),
      timeoutMs,
    );
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
