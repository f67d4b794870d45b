import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * A TCP relay in front of a broker. It can accept connections without responding, like a frozen
 * broker.
 */
export interface SilentRelay {
  /** As host:port. */
  readonly broker: string;
  /** Number of open connections. */
  openConnections(): number;
  /**
   * `pass`: forwards bytes. `silent`: accepts connections and drops what clients send. `old
   * connections silent`: drops the bytes of connections that are open now; new ones pass.
   */
  set(mode: 'pass' | 'silent' | 'old connections silent'): void;
  close(): Promise<void>;
}

export async function startSilentRelay(broker: string): Promise<SilentRelay> {
  const [host = '', port] = broker.split(':');
  const open = new Set<Socket>();
  const silenced = new WeakSet<Socket>();
  let isSilent = false;
  const server = createServer((near) => {
    const far = connect({ host, port: Number(port) });
    open.add(near);
    near.on('data', (bytes) => !isSilent && !silenced.has(near) && far.write(bytes));
    far.on('data', (bytes) => near.write(bytes));
    near
      .on('error', () => undefined)
      .on('close', () => {
        open.delete(near);
        far.destroy();
      });
    far.on('error', () => undefined).on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    broker: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    openConnections: () => open.size,
    set(mode) {
      isSilent = mode === 'silent';
      if (mode === 'old connections silent') for (const socket of open) silenced.add(socket);
    },
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
