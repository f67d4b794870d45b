import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a client and Redis, to take Redis away from this client only. */
export interface Relay {
  readonly url: string;
  /** `refuse`: rejects connections. `stall`: delays bytes until it passes again, like TCP. */
  set(mode: 'pass' | 'refuse' | 'stall'): void;
  close(): Promise<void>;
}

export async function createRelay(redisUrl: string): Promise<Relay> {
  const { hostname, port } = new URL(redisUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: 'pass' | 'refuse' | 'stall' = 'pass';
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (mode === 'refuse') return void near.destroy();
    const far = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => near.write(bytes));
    if (mode === 'stall') pair.forEach((socket) => socket.pause());
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => pairs.forEach(([near]) => near.destroy());
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set(next) {
      mode = next;
      if (next === 'refuse') cut();
      for (const socket of [...pairs].flat()) {
        if (next === 'stall') socket.pause();
        else socket.resume();
      }
    },
    close() {
      cut();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
