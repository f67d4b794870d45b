import { setTimeout as delay } from 'node:timers/promises';
import type { EachBatchPayload, IHeaders, KafkaMessage } from 'kafkajs';
import { backoffMs } from '@tidings/platform';
import type { FetchedBatch } from './batch-run.ts';
import type { BusRecord } from './bus.ts';
import type { Leases } from './leases.ts';

const COMMIT_BACKOFF = { baseMs: 100, capMs: 2_000 };

/** Converts a record batch of kafkajs and binds it to the current lease. */
export function toFetchedBatch(
  payload: EachBatchPayload,
  leases: Leases,
  onCommitFailure: (error: unknown) => void,
): FetchedBatch {
  const { topic, partition, messages } = payload.batch;
  const lease = leases.current();

  async function commit({ offset }: BusRecord): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      // After a lost lease, kafkajs would commit for the new generation and overwrite the progress
      // of the new owner.
      if (lease.isLost()) throw new Error('the partition is no longer assigned to this consumer');
      payload.resolveOffset(String(offset));
      try {
        await payload.commitOffsetsIfNecessary({
          topics: [{ topic, partitions: [{ partition, offset: String(offset + 1n) }] }],
        });
        return;
      } catch (error) {
        if (lease.signal.aborted) throw error;
        onCommitFailure(error);
        await delay(backoffMs(COMMIT_BACKOFF, attempt), undefined, { signal: lease.signal });
      }
    }
  }

  return {
    topic,
    partition,
    records: messages.map((message) => toRecord(topic, partition, message)),
    lease,
    commit,
    async heartbeat() {
      try {
        await payload.heartbeat();
      } catch (error) {
        leases.end('the heartbeat failed');
        throw error;
      }
    },
  };
}

function toRecord(
  topic: string,
  partition: number,
  { key, value, offset, headers }: KafkaMessage,
): BusRecord {
  return {
    topic,
    partition,
    offset: BigInt(offset),
    key,
    value: value ?? Buffer.alloc(0),
    headers: toTexts(headers),
  };
}

/** Headers as text; the last value of a repeated name. */
function toTexts(headers: IHeaders = {}): Record<string, string> {
  const texts: Record<string, string> = {};
  for (const [name, values] of Object.entries(headers)) {
    const value = Array.isArray(values) ? values.at(-1) : values;
    if (value !== undefined) texts[name] = value.toString();
  }
  return texts;
}
