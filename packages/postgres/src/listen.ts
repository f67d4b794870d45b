import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';

const RECONNECT_INTERVAL_MS = 500;
const CONNECT_TIMEOUT_MS = 5_000;

export type ListenOptions = {
  readonly databaseUrl: string;
  readonly applicationName: string;
  /** The name of the channel; an identifier. */
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
  /** Called when notifications arrive from now on; earlier ones may have been missed. */
  readonly onListening?: () => void;
};

/**
 * Receives the notifications of a channel on a connection of its own, which is never in a
 * transaction. Reconnects in the background. A notification may be missed, so callers also poll.
 * Needs a direct connection: a pooler in transaction mode loses `listen`.
 */
export function listenTo(options: ListenOptions): { close(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function listenUntilLost(): Promise<void> {
    const client = new Client({
      connectionString: options.databaseUrl,
      application_name: options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    const lost = new Promise<void>((resolve) => {
      client.on('error', () => resolve());
      client.on('end', () => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    client.on('notification', ({ payload }) => options.onNotification(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${options.channel}`);
      options.onListening?.();
      await lost;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await listenUntilLost().catch(() => undefined);
      await delay(RECONNECT_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async close() {
      stopping.abort();
      await running;
    },
  };
}
