import type { Socket } from 'node:net';
import type { ISocketFactory } from 'kafkajs';
import { createSocketFactory } from './bounded-socket.ts';
import { createKafkaClient, type KafkaSettings } from './kafka-client.ts';
import { withTimeout } from './kafka-errors.ts';

const REQUEST_TIMEOUT_MS = 5_000;
const CHECK_TIMEOUT_MS = 10_000;
/** Unanswered requests end within this time. */
const CLOSE_TIMEOUT_MS = REQUEST_TIMEOUT_MS + 1_000;

/**
 * Checks with a new client whether the broker responds. With a topic it reads the offsets, so every
 * partition leader must respond; without one it reads the cluster metadata. Then it closes the
 * client.
 * @throws if the request is not answered
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
    // kafkajs ends only its half of a connection; a frozen broker never ends the other half.
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
      // A connection opened after the check was abandoned.
      if (isClosed) socket.destroy();
      return socket;
    },
    destroyAll() {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
