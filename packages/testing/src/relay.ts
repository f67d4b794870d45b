import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a client and a store, to take the store away from this client only. */
export interface Relay {
  /** The address of the store, by this relay. */
  readonly url: string;
  /** `refuse`: rejects connections. `stall`: delays bytes until it passes again, like TCP. */
  set(mode: 'pass' | 'refuse' | 'stall'): void;
  /** New connections go to this store instead. */
  redirect(storeUrl: string): void;
  /** Ends the connections of the client. The store does not notice until the relay is closed. */
  abandon(): void;
  close(): Promise<void>;
}

type Pair = { readonly near: Socket; readonly far: Socket; isAbandoned: boolean };

export async function createRelay(storeUrl: string): Promise<Relay> {
  const url = new URL(storeUrl);
  let { hostname, port } = url;
  const pairs = new Set<Pair>();
  let mode: 'pass' | 'refuse' | 'stall' = 'pass';
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (mode === 'refuse') return void near.destroy();
    const far = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
    const pair = { near, far, isAbandoned: false };
    pairs.add(pair);
    near.on('data', (bytes) => far.write(bytes));
    far.on('data', (bytes) => near.write(bytes));
    if (mode === 'stall') for (const socket of [near, far]) socket.pause();
    near.on('close', () => {
      if (!pair.isAbandoned) far.destroy();
    });
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => pairs.forEach(({ near }) => near.destroy());
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    set(next) {
      mode = next;
      if (next === 'refuse') cut();
      for (const socket of [...pairs].flatMap(({ near, far }) => [near, far])) {
        if (next === 'stall') socket.pause();
        else socket.resume();
      }
    },
    redirect(next) {
      ({ hostname, port } = new URL(next));
    },
    abandon() {
      for (const pair of pairs) {
        pair.isAbandoned = true;
        pair.near.destroy();
      }
    },
    close() {
      for (const { far } of pairs) far.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
