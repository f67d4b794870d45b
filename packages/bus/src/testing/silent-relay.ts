import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A TCP relay in front of a broker that can accept connections and answer nothing, as a frozen broker does. */
export interface SilentRelay {
  /** As host:port. */
  readonly broker: string;
  /** How many connections are open. */
  openConnections(): number;
  /**
   * `pass`: bytes flow. `silent`: connections are accepted, what clients send is lost. `old connections silent`: connections
   * that are open now stay silent for good, new ones pass.
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
