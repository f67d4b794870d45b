import { setTimeout as delay } from 'node:timers/promises';
import { connectDedicated } from './dedicated-connection.ts';

const RECONNECT_INTERVAL_MS = 500;

export type ListenOptions = {
  readonly databaseUrl: string;
  readonly applicationName: string;
  /** The name of the channel; an identifier. */
  readonly channel: string;
  readonly onNotification: (payload: string) => void;
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
    const client = await connectDedicated(options);
    const lost = new Promise<void>((resolve) => {
      client.on('end', () => resolve());
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted) resolve();
    });
    client.on('notification', ({ payload }) => options.onNotification(payload ?? ''));
    try {
      await client.query(`listen ${options.channel}`);
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
