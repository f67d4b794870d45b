import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a client and Redis, to take Redis away from this client only. */
export interface Relay {
  readonly url: string;
  /** `refuse`: nobody is there; `swallow`: what is sent arrives nowhere. */
  set(mode: 'pass' | 'refuse' | 'swallow'): void;
  close(): Promise<void>;
}

export async function createRelay(redisUrl: string): Promise<Relay> {
  const { hostname, port } = new URL(redisUrl);
  const pairs = new Set<readonly [Socket, Socket]>();
  let mode: 'pass' | 'refuse' | 'swallow' = 'pass';
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (mode === 'refuse') return void near.destroy();
    const far = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on('data', (bytes) => mode !== 'swallow' && far.write(bytes));
    far.on('data', (bytes) => mode !== 'swallow' && near.write(bytes));
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
    },
    close() {
      cut();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
