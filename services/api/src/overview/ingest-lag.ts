import type { BusAdmin } from '@tidings/bus';
import { TOPICS } from '@tidings/contracts/topics';
import type { Logger } from '@tidings/platform';

/** The consumer groups of the ingest topic. */
const INGEST_CONSUMERS = ['users-consumer', 'events-consumer'] as const;

/** Consumer lag in records, for all applications together: they share the topic. */
export type IngestLag = Readonly<Record<(typeof INGEST_CONSUMERS)[number], number>>;

const TIMEOUT_MS = 2_000;

/** Reads the lag of the ingest consumers; null if Kafka does not respond within 2 s. */
export async function readIngestLag(
  admin: Pick<BusAdmin, 'topicOffsets' | 'committedOffsets'>,
  logger: Logger,
): Promise<IngestLag | null> {
  const { promise: tooLate, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), TIMEOUT_MS);
  const asked = sumLag(admin).catch((error: unknown) => {
    logger.debug({ err: error }, 'could not read the consumer lag');
    return null;
  });
  try {
    return await Promise.race([asked, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

async function sumLag(
  admin: Pick<BusAdmin, 'topicOffsets' | 'committedOffsets'>,
): Promise<IngestLag> {
  const offsets = await admin.topicOffsets(TOPICS.ingest);
  const readLag = async (group: string): Promise<number> => {
    const committed = await admin.committedOffsets(group, TOPICS.ingest);
    return [...offsets].reduce(
      (sum, [partition, { low, high }]) => sum + Number(high - (committed.get(partition) ?? low)),
      0,
    );
  };
  const [users, events] = await Promise.all(INGEST_CONSUMERS.map(readLag));
  return { 'users-consumer': users ?? 0, 'events-consumer': events ?? 0 };
}
