import { createKafkaBus } from '@tidings/bus';
import { createLogger } from '@tidings/platform';

type Group = { readonly group: string; readonly topics: readonly string[] };

/** Lag of consumer groups. */
export interface Lag {
  /** Waiting records per group. */
  read(): Promise<ReadonlyMap<string, number>>;
  disconnect(): Promise<void>;
}

export function connectLag(kafkaBrokers: string, groups: readonly Group[]): Lag {
  const { admin, disconnect } = createKafkaBus({
    brokers: kafkaBrokers.split(','),
    clientId: 'cluster-test',
    logger: createLogger('cluster-test', 'error'),
    requestTimeoutMs: 5_000,
    sessionTimeoutMs: 10_000,
    rebalanceTimeoutMs: 10_000,
    heartbeatIntervalMs: 1_000,
    handlerStallMs: 60_000,
  });
  const readLag = async (group: string, topic: string): Promise<number> => {
    const [offsets, committed] = await Promise.all([
      admin.topicOffsets(topic),
      admin.committedOffsets(group, topic),
    ]);
    return [...offsets].reduce(
      (sum, [partition, { low, high }]) => sum + Number(high - (committed.get(partition) ?? low)),
      0,
    );
  };
  return {
    read: async () =>
      new Map(
        await Promise.all(
          groups.map(
            async ({ group, topics }) =>
              [
                group,
                (await Promise.all(topics.map((topic) => readLag(group, topic)))).reduce(
                  (sum, lag) => sum + lag,
                  0,
                ),
              ] as const,
          ),
        ),
      ),
    disconnect,
  };
}
