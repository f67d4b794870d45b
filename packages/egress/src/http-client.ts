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
    'Ports at which public addresses that callers name are reached, over TLS; those in the allowed networks at any, also without.',
    {
      default: ['443', '8443'],
    },
  ),
} as const satisfies ConfigSpec;

/** Requests to addresses that come from outside: settings, messages. */
export interface EgressHttp {
  /**
   * One request on a kept-alive connection to a vetted address: a public one over TLS and at the public ports only. Never
   * follows a redirect, and never sends twice but where `mayRepeat` says so.
   * @throws HttpFailure, which says whether any of it may have left; EgressBlockedError for an address that may not be reached
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
  /** Certificates to trust instead of the system's. */
  readonly ca?: string;
};

/** Origins with open connections; the one that was not used for the longest time makes room. */
const ORIGINS_MAX = 200;
/** Shorter than the idle time of common servers, which must not be the side that closes. */
const KEEP_ALIVE_MS = 4_000;
const CONNECT_TIMEOUT_MS = 5_000;
const PORT_MAX = 65_535;

/** @throws ConfigError when a port is none */
export function createEgressHttp(
  config: ConfigOf<typeof egressHttpConfig>,
  options: EgressHttpOptions,
): EgressHttp {
  const publicPorts = portsOf(config);
  const pools = new LRUCache<string, Pool>({
    max: ORIGINS_MAX,
    dispose: (pool, _origin, reason) => void (reason === 'evict' && pool.close()),
  });
  /** The messages of a campaign mostly go to one place. */
  let last: { readonly text: string; readonly url: URL } | undefined;
  const urlOf = (text: string): URL => {
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
      const url = urlOf(request.url);
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

function portsOf({ egressPublicPorts }: ConfigOf<typeof egressHttpConfig>): readonly number[] {
  const ports = egressPublicPorts.map((text) =>
    /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN,
  );
  if (!ports.every((port) => port <= PORT_MAX))
    throw new ConfigError([`EGRESS_PUBLIC_PORTS must be whole numbers up to ${PORT_MAX}`]);
  return ports;
}

/** The URL, if its form is one that may be reached; the address behind its name is vetted at connection. */
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
    // Each request has a deadline of its own for everything.
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

/** TLS with the name that was asked for, over the connection to the vetted address. */
function secured(socket: Socket, { host, ca, timeoutMs }: TlsTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    // By itself it says the name only of sockets that it has opened.
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
