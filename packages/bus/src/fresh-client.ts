import type { Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';
import { createSocketFactory } from './bounded-socket.ts';
import { createKafkaClient, type KafkaSettings } from './kafka-client.ts';
import { withTimeout } from './kafka-errors.ts';

const REQUEST_TIMEOUT_MS = 5_000;
const CHECK_TIMEOUT_MS = 10_000;
/** Requests without an answer end within this. */
const CLOSE_TIMEOUT_MS = REQUEST_TIMEOUT_MS + 1_000;

/**
 * Asks the broker one question through a client made for it: who leads the partitions of `topic`, and their offsets, so
 * that each leader has to answer; the metadata of the cluster without a topic. Then closes that client.
 * @throws when it is not answered
 */
export async function checkFreshClient(
  settings: KafkaSettings,
  topic: string | undefined,
): Promise<void> {
  const { socketFactory, destroyAll } = trackSockets();
  const client = createKafkaClient(settings, {
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    retry: { retries: 0 },
    socketFactory,
  });
  const admin = client.admin();
  const ask = async (): Promise<void> => {
    await admin.connect();
    await (topic === undefined ? admin.describeCluster() : admin.fetchTopicOffsets(topic));
  };
  try {
    await withTimeout(CHECK_TIMEOUT_MS, ask());
  } finally {
    await withTimeout(CLOSE_TIMEOUT_MS, admin.disconnect()).catch(() => undefined);
    // kafkajs ends its half of a connection; a frozen broker never ends the other.
    destroyAll();
  }
}

function trackSockets(): { readonly socketFactory: ISocketFactory; destroyAll(): void } {
  const create = createSocketFactory();
  const sockets: Socket[] = [];
  let isClosed = false;
  return {
    socketFactory(options) {
      const socket = create(options);
      sockets.push(socket);
      // What the question opens after it was given up.
      if (isClosed) socket.destroy();
      return socket;
    },
    destroyAll() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
