import { appendRecords, createPartitioner } from '@tidings/partitioned-log/append';
import type { NewRecord } from '@tidings/partitioned-log/record';
import { readTopic, type Topic } from '@tidings/partitioned-log/topics';
import type { Sql } from '@tidings/postgres/database';
import {
  BusRejectedError,
  BusUnavailableError,
  type OutgoingRecord,
  type Producer,
  type RecordPosition,
} from './bus.ts';
import type { Heads } from './heads.ts';
import { withTimeout } from './kafka-errors.ts';
import { toBusError } from './postgres-errors.ts';
import { producedRecords, produceSeconds } from './produce-metrics.ts';
import { recordBytes, splitBySize } from './record-size.ts';
import { traceProduce } from './traces.ts';

export type PostgresProducerDependencies = {
  readonly sql: Sql;
  readonly heads: Heads;
  /**
   * Longer than the statement timeout, so that an append that was given up seldom commits after its
   * retry: records with the same key would change their order.
   */
  readonly requestTimeoutMs: number;
};

/** A producer that confirms a record when its transaction has committed. */
export function createPostgresProducer({
  sql,
  heads,
  requestTimeoutMs,
}: PostgresProducerDependencies): Producer {
  const topics = new Map<string, Topic>();
  const partitionOf = createPartitioner();

  async function topicNamed(name: string): Promise<Topic> {
    const topic = topics.get(name) ?? (await readTopic(sql, name));
    if (topic === undefined) throw new BusUnavailableError(`there is no topic ${name}`);
    topics.set(name, topic);
    return topic;
  }

  async function append(
    topic: Topic,
    records: readonly OutgoingRecord[],
  ): Promise<readonly RecordPosition[]> {
    const positions = await appendRecords(sql, topic, {
      records: records.map(toNewRecord),
      partitionOf,
    });
    for (const { partition, offset } of positions)
      heads.advance({ topicId: topic.topicId, part: partition }, offset + 1n);
    return positions;
  }

  async function produce(
    name: string,
    records: readonly OutgoingRecord[],
  ): Promise<readonly RecordPosition[]> {
    const stopTimer = produceSeconds.startTimer({ topic: name });
    const positions: RecordPosition[] = [];
    try {
      const topic = await withTimeout(requestTimeoutMs, topicNamed(name));
      if (records.some((record) => recordBytes(record) > topic.recordBytesMax))
        throw new BusRejectedError('a record is larger than the topic accepts');
      // Sequential, so records with the same key keep their order.
      for (const part of splitBySize(records))
        positions.push(...(await withTimeout(requestTimeoutMs, append(topic, part))));
      return positions;
    } catch (cause) {
      const error = toBusError(cause);
      const outcome = error instanceof BusUnavailableError ? 'unavailable' : 'refused';
      producedRecords.inc({ topic: name, outcome }, records.length - positions.length);
      throw error;
    } finally {
      producedRecords.inc({ topic: name, outcome: 'written' }, positions.length);
      stopTimer();
    }
  }

  return {
    produce: (topic, records) =>
      traceProduce('postgresql', { topic, records }, (traced) => produce(topic, traced)),
    disconnect: () => Promise.resolve(),
  };
}

function toNewRecord({ key, value, headers = {} }: OutgoingRecord): NewRecord {
  return { key: key === null ? null : Buffer.from(key), value: Buffer.from(value), headers };
}
