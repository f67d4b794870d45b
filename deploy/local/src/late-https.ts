import { connect, createServer, type Socket } from 'node:net';
import type { ReverseProxy, ReverseProxyOptions } from './reverse-proxy.ts';
import { freePorts } from './stack/ports.ts';

const HOST = '127.0.0.1';

/**
 * The entry of an installation whose one process answers http itself, at `port`. The reverse proxy is
 * loaded at the first https connection: its code takes 30 MiB, and few need it.
 * @throws if the port is taken
 */
export async function startLateHttps(options: ReverseProxyOptions): Promise<ReverseProxy> {
  const { port, httpsPort } = options;
  const sockets = new Set<Socket>();
  let proxy: Promise<{ readonly proxy: ReverseProxy; readonly port: number }> | undefined;
  const open = async () => {
    const [ownPort = 0, ownHttpsPort = 0] = await freePorts(2);
    const { startReverseProxy } = await import('./reverse-proxy.ts');
    const started = await startReverseProxy({ ...options, port: ownPort, httpsPort: ownHttpsPort });
    return { proxy: started, port: ownHttpsPort };
  };
  const pass = async (from: Socket): Promise<void> => {
    const to = connect((await (proxy ??= open())).port, HOST);
    for (const [own, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(own);
      own.on('error', () => other.destroy());
      own.on('close', () => {
        sockets.delete(own);
        other.destroy();
      });
      own.pipe(other);
    }
  };
  const server = createServer((socket) => {
    pass(socket).catch(() => socket.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(httpsPort, HOST, resolve);
  });
  return {
    baseUrl: `http://${HOST}:${port}`,
    httpsUrl: `https://${HOST}:${httpsPort}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      // Waits for the requests under way.
      const opened = await proxy?.catch(() => undefined);
      await opened?.proxy.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
